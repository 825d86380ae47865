"""The three events, field by field, and what the contract takes as a date."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.savings.batch import decode_event, read_batch
from econome.savings.wire import (
    Correction,
    Delegation,
    Estimate,
    Event,
    Steering,
    Usage,
    epoch_seconds,
)
from tests.requirements import requirement
from tests.savings.builders import EXAMPLE, SESSION, correction, delegation, steering, text


@requirement(
    "C-M1", "C-M2", "C-M3", "C-M4", "C-M5", "C-M6", "C-M7", "C-M8", "C-M9", "C-M10", "C-M11", "C-M12", "C-M13"
)  # fmt: skip
def test_a_delegation_is_read_field_by_field() -> None:
    assert decode_event(text(delegation(7, agent_id="a1", par_subagent=True, retour="apercu"))) == (
        Delegation(
            schema=1,
            id="claude-code:dem-0000000007",
            date="2026-10-30T09:12:04.512Z",
            client="claude-code",
            session_id=SESSION,
            request_id="dem-0000000007",
            agent_id="a1",
            by_subagent=True,
            reply="apercu",
            tokens_in=4200,
            tokens_out=900,
            estimate=Estimate(4100, 900, 100, 900, 4000, "caracteres/4"),
        )
    )


@requirement(
    "C-M20", "C-M21", "C-M22", "C-M23", "C-M24", "C-M25", "C-M26", "C-M27", "C-M28", "C-M29", "C-M30", "C-M31"
)  # fmt: skip
def test_a_steering_is_read_field_by_field() -> None:
    event = steering(agent_id="principal", turn_id="toolu_1", modele="opencode")
    event["demande_ids"] = ["dem-2", "dem-1", "dem-2"]
    assert decode_event(text(event)) == Steering(
        schema=1,
        id=f"claude-code:{SESSION}:principal:toolu_1",
        date="2026-10-30T09:12:09.031Z",
        client="claude-code",
        session_id=SESSION,
        agent_id="principal",
        turn_id="toolu_1",
        request_ids=["dem-2", "dem-1", "dem-2"],
        model="opencode",
        usage=Usage(
            input_tokens=800,
            output_tokens=200,
            cache_read_input_tokens=10000,
            cache_creation_input_tokens=0,
        ),
        cost=2000,
    )


@requirement(
    "C-M34", "C-M35", "C-M36", "C-M37", "C-M38", "C-M39", "C-M40", "C-M41", "C-M42", "C-M43", "C-M44", "C-M45"
)  # fmt: skip
def test_a_correction_is_read_field_by_field() -> None:
    event = correction(3, tool_use_id="reprise-1", outil="Bash", tokens_ecrits=12, cout=312)
    assert decode_event(text(event)) == Correction(
        schema=1,
        id=f"claude-code:{SESSION}:reprise-1",
        date="2026-10-30T09:14:00.000Z",
        client="claude-code",
        session_id=SESSION,
        request_id="dem-0000000003",
        tool="Bash",
        tool_use_id="reprise-1",
        tokens_read=300,
        tokens_written=12,
        cost=312,
    )


@requirement("C-M52", "C-M3", "C-M22", "C-I1")
def test_the_contract_s_example_is_read_as_printed() -> None:
    ids = [
        "claude-code:dem-9c8a4d0189",
        "claude-code:c009a419-e17b-4036-9531-ac29eaa481d4:a1:t",
    ]
    received = read_batch(EXAMPLE)
    assert [event.id for event in received] == ids
    assert [_figure(decode_event(event.line)) for event in received] == [4900, 2000]


def _figure(event: Event) -> int:
    return event.estimate.avoided if isinstance(event, Delegation) else event.cost


@requirement("S4", "C-M4")
@pytest.mark.parametrize(
    "date, seconds",
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:01.999Z", 1),
        ("1969-12-31T23:59:59.001Z", -1),
        ("1970-01-01T02:00:00+02:00", 0),
        ("1969-12-31T18:30:00-05:30", 0),
        ("1970-01-01T00:00:00-00:00", 0),
        ("1970-01-01t00:00:00z", 0),
        ("1970-01-01T00:00:00.123456789012345Z", 0),
        ("2000-02-29T00:00:00Z", 951782400),
        ("2016-12-31T23:59:60Z", 1483228800),
        ("2017-01-01T00:59:60+01:00", 1483228800),
        ("0001-01-01T00:00:00Z", -62135596800),
        ("9999-12-31T23:59:59Z", 253402300799),
    ],
)
def test_a_date_is_an_instant(date: str, seconds: int) -> None:
    assert epoch_seconds(date) == seconds


@requirement("S4", "C-M4")
@pytest.mark.parametrize(
    "date",
    [
        "",
        "2026-10-30",
        "2026-10-30T09:12:04",  # no zone
        "2026-10-30T09:12Z",
        "2026-10-30T09Z",
        "2026-10-30 09:12:04Z",  # a space instead of the T
        "2026-10-30T09:12:04 Z",
        "2026-10-30T09:12:04+0200",
        "2026-10-30T09:12:04+02",
        "2026-10-30T09:12:04+24:00",
        "2026-10-30T09:12:04+02:60",
        "2026-10-30T09:12:04\u221202:00",  # a minus sign that is no hyphen
        "2026-10-30T09:12:04.Z",
        "2026-10-30T09:12:04,5Z",
        "2026-10-30T24:00:00Z",
        "2026-10-30T09:60:00Z",
        "2026-10-30T09:12:61Z",
        "2026-10-30T09:12:60Z",  # no end of a month
        "2026-10-30T23:59:60Z",
        "2016-12-31T23:59:60+01:00",
        "2026-02-29T00:00:00Z",
        "2100-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-00-10T00:00:00Z",
        "2026-13-10T00:00:00Z",
        "2026-10-00T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "02026-10-30T09:12:04Z",
        "+2026-10-30T09:12:04Z",
        "26-10-30T09:12:04Z",
        "20261030T091204Z",
        "2026-W44-5T09:12:04Z",
        "2026-10-30T09:12:04ZZ",
        " 2026-10-30T09:12:04Z",
        "2026-10-30T09:12:04Z\n",
        "\u0662026-10-30T09:12:04Z",  # a digit of another script
        "2026-10-30T09:12:0\u0664Z",
        "Fri, 30 Oct 2026 09:12:04 GMT",
        "1793351524",
    ],
)
def test_what_rfc_3339_does_not_spell_is_no_date(date: str) -> None:
    assert epoch_seconds(date) is None


@requirement("S4", "C-M4")
@given(
    moment=st.datetimes(),
    minutes=st.none() | st.integers(-1439, 1439),
    digits=st.integers(0, 6),
)
def test_every_moment_in_every_zone_is_read(
    moment: datetime, minutes: int | None, digits: int
) -> None:
    zone = UTC if minutes is None else timezone(timedelta(minutes=minutes))
    fraction = f".{moment.microsecond:06}"[: digits + 1] if digits else ""
    offset = "Z" if minutes is None else f"{'-+'[minutes >= 0]}{divmod(abs(minutes), 60)[0]:02}"
    offset += "" if minutes is None else f":{abs(minutes) % 60:02}"
    passed = moment.replace(tzinfo=zone, microsecond=0) - datetime(1970, 1, 1, tzinfo=UTC)
    date = f"{moment.isoformat(timespec='seconds')}{fraction}{offset}"
    assert epoch_seconds(date) == passed // timedelta(seconds=1)
