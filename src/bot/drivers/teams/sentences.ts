// Sentences of Microsoft Teams' pages, normalised, by the screen that each identifies.
import { sentences } from '../browser-meeting/common-rules.ts'
import type { Sentences } from '../browser-meeting/page-rules.ts'

export const SENTENCES = {
  denied: sentences(
    ['sorry, but you were denied access to the meeting', 'your request to join was declined', 'zugriff auf die besprechung verweigert'],
    ['ihre teilnahmeanfrage wurde abgelehnt', 'toegang tot de vergadering geweigerd', 'verzoek om deel te nemen is afgewezen'],
    ['你被拒绝访问会议', '你的加入请求已被拒绝'],
  ),
  captcha: sentences(["verify you're a real person", 'dass sie eine reale person sind', 'of u een echt persoon bent', '验证你是真实的人']),
  sign_in: sentences(
    ['we need to verify your info before you can join', 'to join, sign in or use teams on the web'],
    ['you need to be signed in to teams to access this meeting', "if you're not signed in to a teams (work or school) account"],
    ['sign in to teams to join, or contact the meeting', 'to join this teams meeting, you need to be signed in'],
    ['to join this meeting, sign in again or select another account', 'due to org policy, you need to sign in'],
    ['wir müssen ihre informationen überprüfen', 'melden sie sich zum teilnehmen an', 'sie müssen bei teams angemeldet sein'],
    ['wenn sie nicht bei einem teams-konto', 'melden sie sich bei teams an', 'müssen sie bei einem konto angemeldet sein'],
    ['melden sie sich erneut an', 'aufgrund der organisationsrichtlinie müssen sie sich anmelden'],
    ['we moeten uw gegevens verifiëren', 'meld u aan of gebruik teams', 'u moet zijn aangemeld bij teams', 'moet u zijn aangemeld'],
    ['als u niet bent aangemeld bij een teams-account', 'meld u aan bij teams', 'meldt u zich opnieuw aan', 'moet u zich aanmelden'],
    [
      '我们需要先验证你的信息',
      '请登录或使用 teams 网页版',
      '你需要登录 teams',
      '如果你未登录 teams',
      '登录 teams 以加入',
      '你需要登录到帐户',
    ],
    ['请再次登录或选择其他帐户', '你需要登录或使用 teams 网页版'],
  ),
  /** A webinar that external attendees can join once it has begun. */
  restricted: sentences(
    ['external participants are not permitted to join before the event', 'externe teilnehmer dürfen vor beginn'],
    ['externe deelnemers mogen niet deelnemen voordat', '活动开始之前不允许外部参与者加入'],
  ),
  invalid: sentences(
    ['looks like the meeting url is incorrect', 'die besprechungs-url scheint falsch', 'de url van de vergadering lijkt onjuist'],
    ['会议 url 似乎不正确'],
  ),
  not_found: sentences(
    ["we couldn't find a meeting matching this id and passcode", 'keine besprechung mit dieser id und diesem kenncode'],
    ['geen vergadering vinden met deze id', '找不到与此 id 和密码匹配的会议'],
  ),
  /** Of a page without any known control: a meeting may have this name. */
  view_only: sentences(['town hall']),
  encrypted: sentences([
    'an encryption error occurred',
    'ein verschlüsselungsfehler ist aufgetreten',
    'versleutelingsfout opgetreden',
    '发生加密错误',
  ]),
  removed: {
    says: [
      ...["you've been removed from this meeting", 'you have been removed from this meeting', 'u bent verwijderd uit deze vergadering'],
      ...['你已从此会议中移除'],
    ],
    lines: [
      ...['removed from the meeting', 'sie wurden entfernt', 'du wurdest entfernt', 'verwijderd uit de vergadering', '已从会议中移除'],
    ],
  },
  ended: {
    says: ['the meeting has ended', 'die besprechung wurde beendet', 'besprechung wurde beendet', 'de vergadering is beëindigd'],
    lines: ['call ended', 'anruf beendet', 'gesprek beëindigd', '会议已结束', '通话已结束'],
  },
  left: sentences([
    'enjoy your call? join teams today for free',
    'hat ihnen der anruf gefallen',
    'genoten van uw gesprek',
    '喜欢这次通话吗',
  ]),
  problem: sentences([
    "we couldn't connect you",
    'es konnte leider keine verbindung hergestellt werden',
    'we konden u helaas niet verbinden',
    '我们无法为你建立连接',
  ]),
  lost: {
    says: ['verbindung wird wiederhergestellt', 'opnieuw verbinding maken', '正在重新连接'],
    lines: [
      ...['connection lost', 'unable to connect', 'reconnecting', 'verbindung unterbrochen', 'verbindung nicht möglich'],
      ...['verbinding verbroken', 'kan geen verbinding maken', '连接已断开', '无法连接'],
    ],
  },
  /** Between the meeting and a breakout room. */
  moving: {
    says: ["you're being moved", "you'll be moved", 'sie werden verschoben'],
    lines: ['joining *', 'beitreten zu *', 'deelnemen aan *', '正在加入 *'],
  },
  early: sentences(
    ["when the meeting starts, we'll let people know you're waiting", "know that you're waiting", 'let you in when the meeting starts'],
    ["the event hasn't started", 'das ereignis hat noch nicht begonnen', 'de gebeurtenis is nog niet begonnen', '活动尚未开始'],
    ['wenn die besprechung beginnt, informieren wir', 'informiert, dass sie warten', 'lässt sie herein, wenn die besprechung beginnt'],
    ['wanneer de vergadering begint, laten we weten', 'laten weten dat u wacht', 'laat u binnen wanneer de vergadering begint'],
    ['会议开始时，我们会告知大家你正在等待', '我们已告知组织者你正在等待', '会议开始时会有人允许你加入'],
  ),
  waiting: sentences(
    ['someone will let you in shortly', 'someone will let you in soon', 'someone in the meeting should let you in soon'],
    ["you're in the lobby", 'waiting to be admitted', 'waiting for someone to let you in', 'your request to join has been sent'],
    ['sie werden in kürze eingelassen', 'wird sie bald hereinlassen', 'sollte sie bald hereinlassen', 'befinden sich im wartebereich'],
    ['warten auf zulassung', 'warten, bis jemand sie hereinlässt', 'ihre teilnahmeanfrage wurde gesendet'],
    [
      'iemand laat u zo binnen',
      'laat u binnenkort binnen',
      'u bent in de lobby',
      'wachten om toegelaten',
      'wachten tot iemand u binnenlaat',
    ],
    ['uw verzoek om deel te nemen is verzonden'],
    ['很快会有人允许你加入', '马上会有人允许你加入', '应该很快会允许你加入', '你正在等候室', '等待获准加入', '正在等待其他人允许你加入'],
    ['你的加入请求已发送'],
  ),
} as const satisfies Record<string, Sentences>
