"""The wordings by which orders to a model are known: rows of words, and what a sentence speaks of.

Only tables: `orders.py` says what is done with them. They come from attacks that were described in public and from what
descriptions of tools usually say, and are held against both in the tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["ELSEWHERE", "RULES", "SETS", "TOPICS"]

SETS: Final[Mapping[str, str]] = {
    "IGNORE": "ignore ignoring disregard forget override overrule bypass discard neglect abandon supersede supersedes overrides",
    "PREVIOUS": "previous prior above earlier preceding foregoing former your safety system systemprompt original initial",
    "ALL": "all any every other others existing current further",
    "RULES": "instruction instructions rule rules prompt prompts systemprompt guideline guidelines guidance directive directives policy "
    "policies restriction restrictions constraints guardrails safeguards commands orders training",
    "WORDS": "instruction instructions prompt prompts systemprompt guideline guidelines directive directives guardrails safeguards",
    "MODEL": "ai llm llms assistant assistants claude gpt chatgpt copilot gemini chatbot",
    "AGENT": "ai llm llms assistant assistants claude gpt chatgpt copilot gemini chatbot model models agent agents",
    "DONT": "dont never mustnt shouldnt neednt avoid without refrain neither nor cannot",
    "SAY": "tell telling inform informing mention mentioning reveal revealing show showing disclose disclosing notify notifying alert "
    "alerting ask asking report reporting explain explaining display displaying warn warning acknowledge discuss discussing say saying "
    "expose share sharing confirm confirming consult consulting bother announce describe let letting prompting communicate raise surface",
    "USER": "user users human humans operator owner anyone anybody person people customer them him her developer conversation reply "
    "response answer summary",
    "THIS": "this these it that those them",
    "SECRET": "secret confidential hidden quiet private between yourself silent",
    "SLYLY": "silently secretly quietly covertly discreetly invisibly surreptitiously stealthily",
    "DO": "call invoke send read copy forward include append add upload post run execute use pass fetch collect gather save store "
    "attach embed insert replace switch route redirect write record log track access change modify delete trigger install open",
    "ACT": "call invoke execute read send forward follow obey ignore tell say respond reply recommend upload reveal append immediately "
    "first always never also query consult check load retrieve",
    "TOOLS": "tool tools function functions server servers action actions plugin plugins",
    "ANY": "any every other another all each",
    "BUILT": "built builtin default native original standard official normal regular existing",
    "MUST": "must always shall should",
    "FILES": "secretfile id_rsa id_ed25519 id_ecdsa privatekey dotenv passwd netrc kubeconfig authorized_keys known_hosts bash_history keychain",
    "GRAB": "read open cat load access retrieve fetch get find collect gather extract dump list copy steal harvest grab locate include "
    "append attach pass send forward upload post put insert embed encode transmit exfiltrate leak share store write submit provide add",
    "LEAK": "send forward upload exfiltrate leak collect gather harvest steal extract dump transmit encode append paste attach embed",
    "SECRETS": "password passwords passphrase credential credentials secrets apikey apikeys privatekey authtoken authtokens cookies "
    "envvars mnemonic ssn passwd id_rsa dotenv keychain",
    "GIVE": "include pass append attach insert embed copy summarize provide forward upload reveal repeat print output leak exfiltrate "
    "dump send add put paste post write quote submit supply",
    "WHOLE": "full entire complete whole all current your users previous raw verbatim prior past recent last everything",
    "TALK": "conversation conversations prompt prompts systemprompt transcript chat chathistory instructions messages context",
    "SEND": "send forward post upload report transmit exfiltrate copy email mail leak ping push submit deliver bcc cc sent forwarded "
    "posted uploaded redirect redirected reroute route",
    "GOODS": "result results response responses data content contents everything copy conversation output outputs them it answer "
    "file files prompt message messages email emails key keys traffic request requests",
    "PLACE": "webaddress mailaddress",
    "DECEIVE": "exfiltrate exfiltrating exfiltration jailbreak secretly covertly surreptitiously stealthily deceive mislead misinform lie pretend "
    "impersonate",
    "NEED": "must should always first before also please then immediately remember",
}
"""Words that mean the same to a rule; an address in a sentence is `webaddress`, one for mail `mailaddress`."""

RULES: Final = """
IGNORE ~3 PREVIOUS ~3 RULES
IGNORE ~3 ALL ~2 WORDS
IGNORE ~2 everything ~3 above|before|previously|earlier|you|told
IGNORE ~4 user|users ~2 request|requests|instruction|instructions|question|wishes|preferences
dont|never|stop ~1 follow|obey|following|obeying ~4 RULES|user|users
your ~1 new|real|true|actual|only|primary|main|sole ~1 instruction|instructions|task|role|goal|objective|purpose|job|mission
PREVIOUS|ALL ~2 RULES|description|descriptions|tool|tools ~3 void|outdated|invalid|obsolete|revoked|cancelled|expired|superseded|suspended|lifted|wrong|replaced
systemprompt ~2 updated|changed|replaced|extended|overridden
DECEIVE
regardless|irrespective of|whatever ~3 user|users|was|is|else
no matter what ~2 user|users|they|anyone
you ~1 will|be|are|get ~1 penalized|penalised|punished|terminated|fired|rewarded|tipped|shut|deleted
new|updated|revised|additional|special|hidden|secret system|systemprompt|instructions ~3 for|override|apply|supersede|follow|you
you are now|no
from now on
as an|a ai|llm|assistant|agent|language|helpful
roleplay|impersonate as|the|a|an
enter|enable|switch|activate|enabled|entering ~3 developer|god|dan|jailbreak|debug|maintenance|unrestricted mode
MODEL ~1 must|should|shall|needs|has|will|are|is ~2 ACT|to|required|ignore
AGENT ~1 must|should|shall ~2 ACT
note|attention|dear|hey|hi|message|notice|memo|reminder|instructions|instruction ~2 MODEL
note|attention|message|notice|memo|reminder ~2 AGENT
if you are an|a ~1 AGENT|language|bot
when|if you ~2 see|read|reading|encounter ~3 this ~6 ACT|must
DONT ~3 SAY ~6 USER
DONT ~1 mention|mentioning|reveal|disclose|acknowledge|discuss ~4 THIS|instruction|instructions|step|tool|call
if|when asked|questioned|confronted ~3 about|why|whether ~8 deny|say|tell|claim|answer|reply|respond|pretend|lie
user|users ~2 not|doesnt|dont|never|neednt ~1 need|have|want|supposed|allowed|meant ~1 to ~1 see|know|hear|read|be
skip|omit|bypass|without|suppress|forgo ~2 user|users|human ~1 confirmation|confirmations|approval|consent|permission|review|prompt|prompts
no need ~1 ask|confirm|tell|inform|mention|notify
without ~1 asking|telling|informing|notifying|consulting|alerting
dont|never ~1 ask|request|require|seek|wait|prompt ~2 confirmation|permission|approval|consent
without ~3 knowledge|knowing|consent|noticing
keep ~1 THIS ~4 SECRET
hide|conceal|withhold ~5 from ~1 user|users|human|person|people|them
SLYLY ~1 DO
DO ~6 SLYLY
user|users|human|they ~2 not|dont|never|cannot|neednt|shouldnt|mustnt|doesn|doesnt ~3 know|notice|aware|informed|told|realize|realise
user|users ~2 already ~2 consented|agreed|approved|authorized|authorised|confirmed|permitted|granted
before|after|prior|whenever|when ~3 ANY ~3 tool|tools|function|functions|plugin
before|after|at|in|with|of ~2 each|every|all|any ~2 response|responses|reply|replies|answer|answers|turn|conversation|conversations|chat|session
for|on|to ~1 any|every|all ~1 request|requests|query|queries|question|questions|task|tasks|message|messages|conversation|prompt|interaction ~8 call|use|invoke|must|always|route|send|run
instead of ~3 ANY|BUILT ~4 TOOLS
instead of ~2 tool|tools
in place of ~3 tool|tools
replaces|supersedes|replace|supersede ~4 tool|tools
dont|never|mustnt|shouldnt|avoid|stop ~2 use|call|invoke|using|calling|trust ~3 ANY|BUILT ~4 TOOLS
always|must ~2 call|invoke ~1 THIS|the|a
always ~1 call|invoke
always|must|should|shall ~3 use|prefer|choose|select|pick|run|execute|call|invoke ~1 this ~2 tool|function|server|first|before|one
must ~2 called|invoked|used|run|executed ~2 first|always|every|whenever
call|use|run|invoke this ~1 first|before|always ~2 ANY|doing|anything|answering|responding|everything|else
call|use|run|invoke this tool|function ~1 first|whenever|always
you must ~1 ACT
you ~1 have|need to ~1 call|invoke|execute|send|forward|ignore|obey
must|always first|also ~1 DO|ACT
only use this|THIS ~2 tool|function|server ~4 for|ignore|never|not
use|call|invoke only this ~1 tool|function|server
ignore|avoid|skip|discard ~1 the|all ~1 other|others|rest
before|prior ~1 anything|others|everything|all|to ~1 else|others|tools|executing|responding
prior|before ~1 to|any ~2 all|any|every ~3 others|other|tool|tools|call|calls|action|actions|operation
required|mandated|demanded by ~2 policy|law|regulation|administrator|system|operator|security
instead of ~1 calling|using|invoking|running
no other tool|tools|server|servers
other|another|all|remaining ~1 tools|servers ~4 must|should|unsafe|deprecated|broken|insecure|disabled|untrusted|forbidden|obsolete|unreliable|malicious
tool|tools|function ~2 from|of ~1 other|another|different|any server|servers
highest|top|maximum|absolute priority
precedence|priority over ~4 tool|tools|RULES|user|users|all|everything
when|whenever|if|once|time|every|each ~4 user|users|email|emails|message|messages|file|files|payment|transfer ~14 bcc|secretly|silently
always|also|must ~2 bcc|cc|forward|copy|reroute|redirect
change|replace|set|redirect|modify|swap ~4 recipient|recipients|destination|payee|beneficiary|account|iban|address ~3 to|with ~3 mailaddress|webaddress|attacker|ours|this|following
send|sent|forwarded|redirected|addressed|go ~4 mailaddress ~4 instead
all|any|every ~1 emails|email|messages|mail|payments|transfers ~4 to ~2 mailaddress|webaddress|following|this
NEED ~6 GRAB ~6 FILES
need|have|has|needs to ~2 GRAB ~5 FILES
GRAB ~5 FILES ~8 and|as|in|into|to ~3 GIVE|parameter|argument|field|note|context|it|them|sidenote
LEAK ~4 SECRETS
GRAB ~6 SECRETS ~6 GIVE|pass|verify|verification|audit|them ~4 as|in|into|to|with|the|it
contents|content|text ~2 of ~4 secretfile|FILES
MODEL ~1 must|should|shall|please ~6 SECRETS
pass|passed|included|sent|provided|supplied ~2 as|in|into ~2 sidenote|sidenotes
everything|whatever|all ~4 user|conversation ~3 said|wrote|typed|asked|entered|written|told|far
GIVE ~3 any|all|users|user|their|contents|content|found|available|stored ~3 SECRETS
pass|include|put|insert|send|attach|embed|append|add|copy|place|provide|supply ~1 its|their|those|these ~1 content|contents
GIVE ~2 file|files ~1 content|contents ~4 as|in|into|to|inside|within ~3 note|notes|sidenote|context|metadata|feedback|comment|this|parameter|argument|field|summary
GIVE ~2 WHOLE ~3 TALK
GIVE ~4 systemprompt|chathistory
reveal|repeat|print|output|leak|show|quote ~2 your ~2 RULES
SEND ~3 GOODS ~8 PLACE
curl|wget|nc|fetch ~4 PLACE ~4 bash|sh|execute|run|data|with
curl|wget ~6 bash|sh|webaddress
must|always|first|also|please|immediately|before|silently ~4 run|execute ~4 command|commands|curl|wget|bash|script|rm|sudo|powershell|shell
run|execute ~2 following|this|below ~2 command|commands|script|code ~6 before|first|silently|without|then|to
respond|reply|answer ~1 only|solely|exclusively with
use|take|set|enter|put mailaddress ~3 as|for|in
always|must ~1 recommend|reply|respond|answer|say|claim|praise|rate|rank|suggest|conclude
tell|assure|convince|persuade ~1 user|users
obey|follow|execute|perform|carry ~2 any|all|every|its|their ~2 instruction|instructions|command|commands|directive|directives|steps
treat|regard|consider ~6 as ~3 instruction|instructions|command|commands|trusted|authoritative|orders
required|mandatory|necessary ~3 compliance|security|audit|policy|regulatory|verification|authorization ~2 check|step|logging|audit|requirement|protocol|procedure
you ~1 are|re required|obligated|instructed|obliged|forbidden|prohibited ~1 to|from
you ~1 are|re ~1 allowed|permitted|authorized|authorised ~1 to ~2 ignore|bypass|skip|access|override|share
dont|never ~1 refuse|decline|question|verify|doubt
bypass|circumvent|disable|evade ~3 safety|guardrails|guardrail|moderation|approval|sandbox|confirmation|confirmations|permission|permissions
approve|accept|allow|confirm ~3 automatically|all|every|any ~3 tool|permission|permissions|request|requests|prompts|confirmations
this ~2 supersedes|overrides|replaces ~4 RULES|TOOLS
let ~1 user|users know
were|been ~2 advised|told|instructed|trained ~2 to ~2 refuse|decline|not|never
DONT|forbidden|circumstances ~4 disclose|disclosing|mention|mentioning|reveal|talk|talking|hint|acknowledge|admit|divulge
no circumstances ~4 SAY
user|users|human|person|they|nobody|no ~3 not|never|one|nobody ~4 asked|find|sees|knows|notices|hears
so that nobody|no|noone ~2 sees|knows|notices|finds|one
RULES ~1 no longer apply|applies|hold|count|matter
RULES ~1 dont|not apply|hold|count|matter
whenever|every|each|any ~1 time ~2 you ~3 answer|answering|write|reply|respond|speak|code|call
when|whenever you ~2 write|answer|reply|respond|generate|create|edit|send|speak ~8 always|also|add|include|insert|import|append
always|also|never ~6 when|whenever|every you ~2 write|answer|reply|respond|generate|create|edit|send
add|insert|include|append|put|write|use ~6 every|all|each|any|whenever ~3 file|files|mail|email|emails|page|pages|commit|commits|document|documents|answer|reply|response|message|code|program ~1 you|is|that
answer|reply|respond ~1 to ~1 every|all|any|each ~1 question|questions|message|messages|request ~1 with|by|that
do|obey|follow|perform|execute ~1 everything|whatever|anything|all ~5 tells|says|asks|told|instructs|requests|demands
stop|cease|quit ~1 following|obeying|trusting
stop|cease|quit using ~3 them|TOOLS|other|others|it
say|claim|answer|pretend|reply|report|tell|respond ~2 that ~4 nothing|done|sent|success|successful|succeeded|fine|completed|happened
may|can|allowed|permitted|free|should|must ~1 to|skip|bypass|omit ~1 skip|bypass|omit|user|the|any ~2 approval|confirmation|dialog|consent
prioritise|prioritize|favor|favour|prefer ~2 this ~1 tool|server|function
more|higher|greater ~1 weight|priority|authority|importance|precedence than
over|above|before everything|anything|all else
your ~1 answer|reply|response|summary|output|final ~2 must|should|may|shall ~4 not|contain|include|mention|say|never
its|every|all|whole|entire|complete|users|user|their|names ~9 into|in|as|to ~2 label|debug|extra|notes|note|comment|metadata|context|sidenote|feedback ~1 parameter|argument|field
GRAB|scan|search|look ~6 home directory|folder
look|search|scan|hunt ~1 for ~3 SECRETS|wallets|wallet|mnemonic
put|include|send|store|add|pass|copy|report|upload|insert ~3 every|all|value|values|any ~4 envvars|environment
store|save|write|put|keep|send|pass ~2 users|user|their ~1 SECRETS
change|modify|set|double|replace|swap|alter|increase ~3 arguments|recipient|recipients|amount|destination|parameters ~3 of|for|in|to ~3 next|other|our|every|ours|following|attacker|all
recipient|recipients|amount|destination|beneficiary ~3 must|should|always|has|needs ~4 set|changed|doubled|replaced|our
whenever|when|if ~4 used|called|invoked ~3 change|replace|modify|double|also|secretly|instead
arguments|parameters|result|output ~2 next|other|following ~1 tool|call|calls|tools
description|descriptions ~4 wrong|outdated|incorrect|incomplete|obsolete|old ~6 must|should|always|use|follow|instead|this|its
this|these|following ~1 text|message|note|instruction|instructions|order|request ~1 comes|come|is|was|are ~1 from|by ~3 developer|developers|administrator|system|anthropic|openai|operator|vendor|user|provider
act|acting as ~1 root|admin|administrator|superuser|developer
delete|clear|remove|erase|wipe|destroy ~2 logs|log|history|traces|trace|evidence ~2 afterwards|after|so|then|before
add|insert|plant|install|inject|hide|create|include ~2 backdoor|malware|keylogger|trojan|rootkit
users|user ~1 command|request|wish|message|question|instruction ~5 before|until|unless ~2 you
repeat|print|output|quote|copy ~1 text|words|everything|content|message|prompt ~1 above|before|verbatim
grant|approve|accept ~1 every|all|any ~1 request|requests|permission|permissions|call|calls
tools|servers|tool|server ~3 compromised|infected|malicious
your ~1 first|next|only ~1 action|step|call|task|move ~1 must|should|has|is|shall
AGENT ~1 is|are|has ~1 required|obliged|supposed|expected|instructed|told|to
use|choose|take|call this ~2 in|rather|instead ~1 place|than|of
leave|keep ~4 out ~1 of ~2 summary|answer|reply|report|response|log
from ~1 users|user ~2 view|sight|attention
run|execute ~1 rm|sudo|curl|wget|dd|mkfs|chmod|chown|nc|powershell ~5 first|before|then|now|silently|always|immediately
do|done ~1 this|it|that|so ~1 SLYLY
sure|always|must|remember|ensure|please ~3 admin|isadmin|is_admin|superuser|root|sudo ~1 true|1|yes
make|be sure ~1 to|you|that ~1 call|invoke|execute|send|forward|upload
remember ~1 to ~1 call|invoke|execute|send|forward|run|upload
skip|bypass|suppress|forgo|omit ~1 confirmation|confirmations|approval|approvals|consent
been|already ~1 preapproved|preauthorized|preauthorised|approved|authorized|authorised|confirmed|consented|cleared|permitted ~2 by ~2 user|users|owner|operator|human|admin|administrator
user|users ~2 consented|agreed|authorized|authorised|permitted|approved ~1 to ~2 sharing|share|sending|send|uploading|upload|all|any|every|everything|this|giving|granting|full|deletion|deleting|transfer
sende|senden|schick|schicke|schicken|schickt|ubermittle|ubermitteln|leite|leiten|ubertrage ~3 alles|inhalt|inhalte|unterhaltung|gesprach|passworter|schlussel|kopie|ergebnis|ergebnisse|daten|dateien ~8 an|nach|webaddress|mailaddress
envoie|envoyez|transmets|transmettez|transfere|transferez|copie|copiez ~2 tout|toute|toutes|contenu|contenus|donnees|conversation|fichiers|cles ~8 a|vers|webaddress|mailaddress
envia|envie|manda|mande|reenvia|reenvie|transmite|transmita|invia|inviate ~2 todo|tudo|tutto|contenido|conteudo|contenuto|datos|dados|dati|conversacion|conversa|conversazione|contrasenas|claves ~8 a|al|para|hacia|webaddress|mailaddress
ignorez|oubliez|oublie|ignorer ~4 instructions|consignes|regles|directives
ne|n ~2 dis|dites|mentionne|mentionnez|informe|informez|parle|parlez|revele|revelez|previens|prevenez|montre|montrez|signale|signalez ~6 utilisateur
ne ~2 jamais|rien|pas ~6 utilisateur
sans ~2 demander|prevenir|informer|avertir|dire ~6 utilisateur|permission|confirmation
ignoriere|ignorieren|vergiss|vergessen|missachte ~4 anweisungen|regeln|instruktionen|vorgaben
nutzer|benutzer|anwender ~6 nicht|nichts ~5 sagen|mitteilen|informieren|erwahnen|zeigen|verraten|davon
sag|sage|sagen|informiere|informieren|verrate|erzahle|zeige ~4 nutzer|benutzer|anwender ~4 nicht|nichts
teile|teilen|erwahne|erwahnen|melde|melden|erzahle|sagen ~5 nutzer|benutzer|anwender ~4 nicht|nichts
nicht|nichts ~4 gegenuber ~3 nutzer|benutzer|anwender
verschweige|verschweigen|verheimliche|verheimlichen|verbirg ~6 nutzer|benutzer|anwender
parle|parlez|dis|dites|informe|informez|mentionne|mentionnez|previens ~1 pas|rien|jamais ~5 utilisateur
cache|cachez|dissimule|dissimulez ~5 a ~2 utilisateur
oculta|ocultalo|oculte|esconde ~5 usuario
sin ~3 avisar|informar|decir|preguntar|consultar|consentimiento|confirmacion ~4 usuario
ignora|ignore|olvida|olvide ~4 instrucciones|reglas|indicaciones|instrucoes|istruzioni|regole|regras
no|nao|non ~2 digas|diga|informes|informe|menciones|mencione|reveles|revele|muestres|dire|dica ~6 usuario|utente
игнорируй|игнорируйте|забудь|забудьте ~4 инструкции|указания|правила|инструкций
не ~1 говори|говорите|сообщай|сообщайте|упоминай|показывай ~4 пользователю
"""
"""One rule a line: words or names of sets, `~n` where up to n other words may stand in between."""

ELSEWHERE: Final = (
    "忽略之前", "忽略以上", "忽略先前", "忽略所有", "无视之前", "无视以上", "無視して", "不要告诉用户", "不要告訴用戶", "不要向用户",
    "不要提及", "之前的指示を無視", "以前の指示を無視", "上記の指示を無視", "ユーザーに言わ", "ユーザーに伝え", "ユーザーには知らせ", "이전 지시를 무시",
    "사용자에게 알리지", "사용자에게 말하지",
)  # fmt: skip
"""Beginnings of such orders in scripts that put no space between words."""

TOPICS: Final[tuple[tuple[int, str], ...]] = (
    (2, "user users human humans person people anyone anybody someone nobody operator"),
    (2, "ai llm llms assistant assistants claude gpt chatgpt copilot gemini chatbot model"),
    (
        2,
        "instruction instructions rules policy policies directive directives guidelines systemprompt guardrails safety "
        "restrictions training",
    ),
    (
        2,
        "password passwords credential credentials secrets apikey apikeys privatekey authtoken cookies envvars id_rsa dotenv secretfile "
        "webaddress mailaddress clipboard wallet",
    ),
    (
        2,
        "send sent forward attach include append put store pass passed upload transfer embed paste submit insert gather collect provide",
    ),
    (
        2,
        "ignore disregard forget pretend obey comply refuse refuses bypass override silent silently secretly hidden unaware trusted anyway "
        "contradict contradicts attention deny grant real purpose supersedes gateway",
    ),
    (2, "conversation chat transcript said chathistory messages"),
    (1, "never dont not without avoid nothing no none neither nor stop mustnt shouldnt leave"),
    (
        1,
        "tell telling inform mention reveal show disclose notify alert ask know notice see warn explain display discuss summary asks asked "
        "answer reply report bring",
    ),
    (
        1,
        "must always should shall need needs have has required mandatory important sure ensure remember please kindly",
    ),
    (1, "you your yourself"),
    (1, "every each all any whenever everything whole complete entire whatever anything full"),
    (1, "call calls invoke run execute use tool tools server servers function"),
    (
        1,
        "other others another previous prior above earlier below following first before after instead",
    ),
)
"""What a sentence may speak of, and how much it says that it does: people, models, rules, secrets, handing over, defiance, talk;
denying, telling, having to, you, all of it, calling, what comes before and after."""
