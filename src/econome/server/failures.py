"""The HTTP face's answer to each expected failure: one table from exception to status, one shape for all."""

from __future__ import annotations

from econome import errors
from econome.server.answers import Answer, json_answer
from econome.server.wire import refusal

__all__ = ["STATUS", "refused"]

STATUS: dict[type[errors.EconomeError], int] = {
    errors.AmbiguousSession: 400,
    errors.BackendAway: 409,
    errors.BackendFailed: 409,
    errors.BatchError: 422,
    errors.BodyMalformed: 400,
    errors.BodyTooLarge: 413,
    errors.ChangeRefused: 409,
    errors.ConfigRefused: 409,
    errors.DelegationRefused: 409,
    errors.EconomeError: 409,
    errors.FileRefused: 409,
    errors.FormatBroken: 409,
    errors.HistoryBroken: 409,
    errors.ImportRefused: 422,
    errors.LedgerBroken: 503,
    errors.LedgerDiffers: 409,
    errors.LedgerHeld: 409,
    errors.LedgerUnwritable: 503,
    errors.LocalModelError: 409,
    errors.LockBroken: 409,
    errors.MenuError: 409,
    errors.PortTaken: 409,
    errors.PresetError: 409,
    errors.RequestUnknown: 404,
    errors.RootMissing: 409,
    errors.ServerAway: 409,
    errors.ServerRefused: 409,
    errors.SessionUnknown: 404,
    errors.SettingsError: 409,
    errors.SignatureRefused: 409,
    errors.TokenUnsafe: 409,
    errors.UnknownZone: 400,
    errors.UpstreamAway: 409,
    errors.UsageError: 400,
    errors.WrongMoment: 409,
}
"""409 is what the state of this machine does not allow; 503 is a disk that takes or gives nothing."""


def refused(error: errors.EconomeError) -> Answer:
    """Return the answer to an expected failure."""
    return json_answer(STATUS[type(error)], refusal(error))
