// The double of the SDK by itself: a plain page joins simulated meetings and gets the events of the field notes.
import { describe, expect, test } from 'vitest'
import { openForFile } from '../../helpers/for-file.ts'
import { call, eventually, happenings, happens, openZoom, signatureFor } from '../../helpers/meetings/zoom-sdk-page.ts'

const browser = openForFile(openZoom)

const levels = async (page: Parameters<typeof happenings>[0]) =>
  (await happenings(page)).filter(({ what }) => what === 'onJoinSpeed').map(({ data }) => data?.level)

describe('joining', () => {
  test('admits a page with a valid signature and the passcode of the link', async () => {
    const { meeting, page } = await browser.join()
    await happens(page, 'join success')
    await happens(page, 'onJoinSpeed', { level: 14 })
    expect(await levels(page)).toEqual([0, 1, 8, 9, 10, 11, 12, 13, 14])
    expect(meeting.inside().map(({ name }) => name)).toEqual(['Notetaker'])
    expect(meeting.infos[0]).toMatchObject({ signatureType: 'sdk', userName: 'Notetaker', meetingNumber: meeting.number })
  })

  test.each([
    ['a wrong secret', 3712, () => signatureFor({ ...browser.zoom.app, secret: 'another' })],
    ['an unknown key', 3704, () => signatureFor({ ...browser.zoom.app, key: 'unknown' })],
    ['a signature that has expired', 3705, (mn: string) => signatureFor(browser.zoom.app, { mn, iat: 1_000, exp: 9_000 })],
    ['a signature for another meeting', 3706, () => signatureFor(browser.zoom.app, { mn: '123456789' })],
    ['a signature for less than half an hour', 3712, (mn: string) => shortLived(mn)],
  ])('refuses %s with %i', async (_, code, sign) => {
    const meeting = browser.zoom.meeting()
    const page = await browser.open()
    await browser.enter(page, meeting, { signature: sign(meeting.number) })
    await happens(page, 'join error', { errorCode: code, status: false })
    await happens(page, 'onMeetingStatus', { meetingStatus: 3, errorCode: code })
  })

  test('asks for the passcode and calls nothing back when the passcode is wrong', async () => {
    const { meeting, page } = await browser.join({}, { passWord: 'wrong' })
    await page.getByText('Passcode wrong').waitFor()
    await page.locator('#input-for-pwd').fill(meeting.scenario.passcode)
    await page.locator('.preview-join-button').click()
    await happens(page, 'join success')
    expect((await happenings(page)).some(({ what }) => what === 'join error')).toBe(false)
  })

  test.each([
    ['locked', 4006, 'Host has locked this meeting.'],
    ['full', 4005, 'Meeting capacity has been reached'],
    ['over', 4004, 'The meeting has been ended'],
  ])('shows a dialog and calls back when the meeting is %s', async (_, knock, text) => {
    const { page } = await browser.join({ knock })
    await happens(page, 'join error', { errorCode: knock })
    await page.locator('.zm-modal', { hasText: text }).waitFor()
  })

  test('needs a token for a meeting of another account', async () => {
    const { page } = await browser.join({ account: 'external' })
    await happens(page, 'join error', { errorCode: 4012 })
  })

  test('joins on behalf of a user as long as that user is in the meeting', async () => {
    const meeting = browser.zoom.meeting({ account: 'external' })
    const obfToken = browser.zoom.issue({ kind: 'obf', userName: 'Ann', meetingNumber: meeting.number })
    const early = await browser.open()
    await browser.enter(early, meeting, { obfToken })
    await happens(early, 'join error', { errorCode: 4017 })
    const ann = await meeting.call.join({ name: 'Ann' })
    const page = await browser.open()
    await browser.enter(page, meeting, { obfToken })
    await happens(page, 'onJoinSpeed', { level: 13 })
    ann.leave()
    await happens(page, 'onMeetingStatus', { meetingStatus: 3, errorCode: 4019 })
  })
})

describe('waiting', () => {
  test('stays in the waiting room after a successful join until the host admits it', async () => {
    const { meeting, page } = await browser.join({ knock: 'waiting_room' })
    await happens(page, 'onUserIsInWaitingRoom', { isInWaitingRoom: true })
    await page.locator('.wr-main-content', { hasText: "Host has joined. We've let them know you're here." }).waitFor()
    expect(await levels(page)).toEqual([0, 1, 8, 6])
    meeting.admit()
    await happens(page, 'onJoinSpeed', { level: 14 })
    await page.locator('[footer-section="right"] button[aria-label="Leave"]').waitFor()
  })

  test('returns to the waiting room when the host puts it on hold, and enters again', async () => {
    const { meeting, page } = await browser.join({ lobby: 'put_on_hold' })
    await happens(page, 'onJoinSpeed', { level: 14 })
    meeting.hold()
    await page.getByText('Please wait, the meeting host will let you in soon.').waitFor()
    const before = (await happenings(page)).length
    meeting.admit()
    await eventually('it has joined audio again', async () => (await happenings(page)).slice(before).some(({ data }) => data?.level === 14))
    await meeting.call.join({ name: 'Ann' })
    await happens(page, 'onUserJoin', { userName: 'Ann' })
  })

  test('waits for the host to start the meeting', async () => {
    const { meeting, page } = await browser.join({ knock: 'not_started' })
    await page.getByText('Waiting for the host to start the meeting.').waitFor()
    expect(await levels(page)).toEqual([0, 1, 4])
    meeting.start()
    await happens(page, 'onJoinSpeed', { level: 13 })
  })
})

describe('recording', () => {
  test('is refused until the host allows it, and stops when the host withdraws the permission', async () => {
    const { meeting, page } = await browser.join()
    await happens(page, 'onJoinSpeed', { level: 14 })
    const start = () => call(page, 'mediaCapture', { record: 'start' })
    await eventually('the client is ready', () => start().catch(() => null))
    await page.locator('.zm-modal-body-title', { hasText: 'Permission needed from Meeting Host' }).first().waitFor()
    expect(await call(page, 'mediaCapturePermission', { operate: 'request' })).toMatchObject({ status: false })
    await meeting.call.join({ name: 'Ann', host: true })
    await happens(page, 'onUserJoin', { isHost: true })
    expect(await call(page, 'mediaCapturePermission', { operate: 'request' })).toMatchObject({ status: true })
    await eventually('the host is asked', () => meeting.recording.requests.length > 0)
    meeting.recording.allow()
    await happens(page, 'onMediaCapturePermissionChange', { allow: true })
    expect(await start()).toMatchObject({ status: true })
    await happens(page, 'onMediaCaptureStatusChange', { status: 1 })
    meeting.recording.withdraw()
    await happens(page, 'onMediaCapturePermissionChange', { allow: false })
    await happens(page, 'onMediaCaptureStatusChange', { status: 0 })
  })
})

describe('with tokens', () => {
  test('joins a meeting of another account with a ZAK, and records with a recording token', async () => {
    const meeting = browser.zoom.meeting({ account: 'external' })
    const zak = browser.zoom.issue({ kind: 'zak', userName: 'Ann' })
    const recordingToken = browser.zoom.issue({ kind: 'recording', meetingNumber: meeting.number })
    const page = await browser.open()
    await browser.enter(page, meeting, { zak, recordingToken })
    await happens(page, 'onJoinSpeed', { level: 14 })
    const started = await eventually('the client is ready', () => call(page, 'mediaCapture', { record: 'start' }).catch(() => null))
    expect(started).toMatchObject({ status: true })
    await eventually('the server knows', () => meeting.recording.status() === 1)
  })

  test('refuses a ZAK that Zoom has not issued, and one beside an OBF token', async () => {
    const { page } = await browser.join({}, { zak: 'unknown' })
    await happens(page, 'join error', { errorCode: 3623 })
    const other = await browser.join({}, { zak: 'unknown', obfToken: 'unknown' })
    await happens(other.page, 'join error', { errorCode: 3636 })
  })
})

describe('in the meeting', () => {
  test('reports people, speakers and messages', async () => {
    const { meeting, page } = await browser.join()
    await happens(page, 'onJoinSpeed', { level: 14 })
    const ann = await meeting.call.join({ name: 'Ann', voice: 440 })
    await happens(page, 'onUserJoin', { userName: 'Ann', userId: ann.userId, isHost: false })
    await eventually('Ann speaks', async () =>
      (await happenings(page)).find(({ what, data }) => what === 'onActiveSpeaker' && JSON.stringify(data).includes('Ann')),
    )
    ann.write('Hello')
    const { data } = await happens(page, 'onReceiveChatMsg', { senderId: ann.userId, sender: 'Ann' })
    expect(data?.content).toMatchObject({ text: 'Hello' })
    expect(await call(page, 'sendChat', { message: 'Good morning' })).toMatchObject({ status: true })
    await eventually('it is written', () =>
      meeting.call.chat().find(({ text, senderName }) => text === 'Good morning' && senderName === 'Notetaker'),
    )
    ann.caption({ text: 'Hello there' })
    await happens(page, 'onReceiveTranscriptionMsg', { text: 'Hello there', done: true, userId: ann.userId })
    ann.leave()
    await happens(page, 'onUserLeave', { userId: ann.userId })
  })

  test('gets an event when the host removes it, and cannot rejoin', async () => {
    const { meeting, page } = await browser.join()
    await happens(page, 'onJoinSpeed', { level: 14 })
    meeting.remove()
    await happens(page, 'onUserLeave', { reasonCode: 6 })
    await page.locator('.zm-modal-body-title', { hasText: 'You have been removed from this meeting by the host.' }).first().waitFor()
    const again = await browser.open()
    await browser.enter(again, meeting)
    await happens(again, 'join error', { errorCode: 3009 })
  })

  test('reconnects after the network was lost', async () => {
    const { meeting, page } = await browser.join()
    await happens(page, 'onJoinSpeed', { level: 14 })
    meeting.dropNetwork()
    await happens(page, 'onMeetingStatus', { meetingStatus: 4 })
    meeting.restoreNetwork()
    await eventually(
      'it is back',
      async () => (await happenings(page)).filter(({ what, data }) => what === 'onMeetingStatus' && data?.meetingStatus === 2).length === 2,
    )
    await meeting.call.join({ name: 'Bob' })
    await happens(page, 'onUserJoin', { userName: 'Bob' })
  })
})

function shortLived(mn: string): string {
  const iat = Math.floor(Date.now() / 1000)
  return signatureFor(browser.zoom.app, { mn, iat, exp: iat + 600, tokenExp: iat + 600 })
}
