// Sentences of Zoom's web client, normalised, by the screen that each identifies: English, German, Dutch, Chinese.
import { sentences } from '../browser-meeting/common-rules.ts'
import type { Sentences } from '../browser-meeting/page-rules.ts'
import { ROOM_SENTENCES } from './rooms.ts'

export const SENTENCES = {
  /** The block page for bots, which also offers a sign-in. */
  refused: sentences(
    ["automated bots aren't allowed to join this meeting", 'we detected you may be a bot', 'must use zoom rtms'],
    ['automatisierte bots dürfen nicht an diesem meeting', 'geautomatiseerde bots mogen niet deelnemen', '不允许自动化机器人加入此会议'],
  ),
  captcha: sentences(
    ['verify to continue', 'please check the captcha', 'you failed the recaptcha verification', 'need to check recaptcha'],
    ['zum fortfahren überprüfen', 'bitte überprüfen sie das captcha', 'verifizierung mit recaptcha-verifizierung ist fehlgeschlagen'],
    ['verifieer om door te gaan', 'controleer de captcha', 'uw recaptcha-verificatie is mislukt'],
    ['验证以继续', '请检查验证码', '你未通过recaptcha验证'],
  ),
  /** A picture whose characters must be typed. */
  image_captcha: sentences(
    ['type the characters you see', 'geben sie die angezeigten zeichen ein', 'typ de tekens die u ziet'],
    ['请输入你看到的字符'],
  ),
  /** Whole lines, because the topic of a meeting may have these words. */
  registration: {
    says: ['this meeting requires registration', 'this webinar requires registration', 'registration is required'],
    lines: [
      ...['meeting registration', 'webinar registration', 'registration meeting', 'meeting-registrierung', 'webinar-registrierung'],
      ...['vergaderingsregistratie', 'webinarregistratie', '会议注册', '网络研讨会注册'],
    ],
  },
  sign_in: sentences(
    ['sign in to join this meeting', 'only authenticated users can join', 'authentication is required'],
    ['the host requires authentication on the commercial zoom platform', 'melden sie sich an, um diesem meeting beizutreten'],
    ['verlangt der host eine authentifizierung auf der kommerziellen zoom plattform'],
    ['meld u aan om deel te nemen aan deze vergadering', '登录以加入此会议'],
  ),
  restricted: sentences(
    ['host has locked this meeting', 'der host hat dieses meeting gesperrt', 'deze vergadering is vergrendeld door de host'],
    ['主持人已锁定此会议', 'unable to join this webinar'],
  ),
  full: sentences(
    ['meeting capacity has been reached', 'kapazität des meetings wurde erreicht', 'de maximale vergadercapaciteit is bereikt'],
    ['已达会议人数上限'],
  ),
  invalid: sentences(
    ['passcode wrong', 'incorrect passcode', 'falsches passwort', 'falscher kenncode', 'passcode verkeerd', 'wachtwoordcode onjuist'],
    ['密码错误'],
  ),
  /** A number that does not exist, and a meeting that its host has not started, look the same. */
  not_started: sentences(
    ['this meeting link is invalid', 'meeting does not exist', 'der link zu diesem meeting ist ungültig', 'meeting ist nicht vorhanden'],
    ['deze vergaderlink is ongeldig', 'meeting bestaat niet', '会议链接无效', '会议不存在'],
  ),
  removed: sentences(
    ['you have been removed', 'you are unable to rejoin this meeting because you were previously removed'],
    ['sie wurden vom host von diesem meeting entfernt', 'sie wurden entfernt', 'weil sie bereits vom host entfernt wurden'],
    ['u bent uit deze vergadering verwijderd', 'u bent verwijderd', 'omdat u eerder door de host bent verwijderd'],
    ['你已被主持人从此会议中删除', '你已被移除', '因为此前你已被主持人移除'],
  ),
  ended: sentences(
    ['this meeting has been ended', 'the meeting has been ended', 'this free zoom meeting has ended'],
    ['ended as someone has started a new meeting with this account', 'das meeting wurde vom host beendet', 'das meeting wurde beendet'],
    ['dieses kostenlose zoom-meeting ist beendet', 'deze vergadering is beëindigd', 'de vergadering is beëindigd'],
    ['deze gratis zoom-vergadering is afgelopen', '主持人已结束此会议', '会议已结束', '本次免费zoom会议已结束'],
  ),
  problem: sentences(
    ['joining meeting timeout', 'your network connection has timed out', 'zeitüberschreitung meeting-beitritt'],
    [
      'zeitüberschreitung ihrer netzwerkverbindung',
      'time-out tijdens het deelnemen aan de vergadering',
      '加入会议超时',
      '你的网络连接已超时',
    ],
  ),
  early: sentences(
    ['host to start the meeting', 'host to start the webinar', 'waiting for a host to join', 'bis der host das meeting beginnt'],
    ['wachten op de host om de vergadering te starten', '等待主持人开始会议'],
  ),
  waiting: sentences(
    ["the host will admit you when they're ready", 'host will let you in soon', "we've let them know you're here", 'admitted shortly'],
    ['you are about to join the meeting', 'please wait, the host lost connection', 'der host lässt sie ein, wenn er soweit ist'],
    ['der host lässt sie bald hinein', 'der meeting-host lässt sie in kürze eintreten', 'wir haben bescheid gesagt, dass sie da sind'],
    [
      'wir haben ihm bescheid gegeben, dass sie hier sind',
      'sie sind dabei, dem meeting beizutreten',
      'der host hat die verbindung verloren',
    ],
    ['de host laat u toe als ze klaar zijn', 'laat u zo binnen', 'we hebben hen laten weten dat u er bent'],
    ['u gaat deelnemen aan de vergadering', 'de verbinding met de host is verbroken'],
    ['主持人准备就绪后', '主持人很快就会请你加入', '我们已告知他们你在这里', '你即将加入会议', '主持人连接中断'],
  ),
  /** Words that say less, and stand in calls as well. */
  lobby: {
    says: ['you are in the waiting room', 'sie sind im warteraum', 'u bent in de wachtkamer', '你在等候室中'],
    lines: ['please wait', 'waiting room', 'bitte warten', 'warteraum', 'even geduld', 'wachtkamer', '请稍候', '等候室'],
  },
  /** The page already has an empty player. */
  joining: sentences(['joining meeting', 'am meeting teilnehmen...', 'deelnemen aan vergadering...', '正在加入会议']),
  lost: sentences(['trying to reconnect', 'der versuch, wieder zu verbinden', 'proberen opnieuw verbinding te maken', '正尝试重新连接']),
  ...ROOM_SENTENCES,
} as const satisfies Record<string, Sentences>
