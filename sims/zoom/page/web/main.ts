/// <reference lib="dom" />
// The web client: the screens before the preview, the preview, and the meeting.
import { askInfo } from '../client.ts'
import { make } from '../make.ts'
import { agreeToDisclaimer } from '../walls.ts'
import { agreeToTerms, askForDevices, showCaptchaBadge, showCookies, showWall } from './before.ts'
import { boot, root } from './boot.ts'
import { WebMeeting } from './meeting.ts'
import { Preview, type Ready } from './preview.ts'

const WRONG_PASSCODE = 3004

async function start(): Promise<void> {
  showCookies()
  showCaptchaBadge()
  await agreeToTerms()
  if (showWall(boot.web.landing)) return
  const hasDevices = await askForDevices()
  const preview = new Preview((ready) => void join(preview, ready, hasDevices))
  preview.show()
}

async function join(preview: Preview, ready: Ready, hasDevices: boolean): Promise<void> {
  if (showWall(boot.web.wall)) return
  const { meetingNumber, web } = boot
  const reply = await askInfo('app.zoom.us', {
    meetingNumber,
    userName: ready.name,
    passWord: ready.passcode,
    signatureType: '',
    lang: 'en-US',
  })
  if (reply.errorCode === WRONG_PASSCODE) return preview.refuse(boot.words.incorrectPasscode)
  showJoining()
  if (boot.stalls) return stall()
  await new Promise((resolve) => setTimeout(resolve, web.joiningMs))
  if (web.disclaimer) await agreeToDisclaimer(boot.words, root, () => location.reload())
  if (reply.result) new WebMeeting(reply.result, { ready, hasDevices })
  else root.replaceChildren(make('div', { class: 'error-message' }, `${boot.words.unableToJoin} (${reply.errorCode})`))
}

/** The page has an empty player before the meeting is joined. */
function showJoining(): void {
  const empty = make('div', { id: 'video-share-layout' }, make('video-player'))
  root.replaceChildren(make('div', { class: 'meeting-app' }, make('div', { class: 'loading-layer' }, boot.words.joining), empty))
}

/** Frozen: nothing changes any more. */
function stall(): void {
  if (boot.web.stall === 'white') root.replaceChildren()
}

void start()
