// The simulated web client of Zoom, used by a plain page: every screen of the field notes before and in a meeting.
import { describe, expect, test } from 'vitest'
import { openForFile } from '../../helpers/for-file.ts'
import { askToJoin, openZoomSite } from '../../helpers/meetings/zoom-page.ts'
import { eventually } from '../../helpers/meetings/zoom-sdk-page.ts'

const site = openForFile(openZoomSite)

const LEAVE = '#wc-footer [footer-section="right"] button[aria-label="Leave"]'

describe('the simulator before the preview', () => {
  test('offers to join in the browser, below the launcher', async () => {
    const { page } = await site.visit({ web: { launcher: 'shown' } })
    await page.getByText('Join from your browser').click()
    await page.locator('#input-for-name').waitFor()
    expect(new URL(page.url()).hostname).toBe('app.zoom.us')
  })

  test('puts cookies, terms and permission cards before the preview', async () => {
    const { page } = await site.visit({ web: { cookies: true, terms: true, permissionCards: 2 } })
    await page.locator('#onetrust-accept-btn-handler').click()
    await page.locator('#wc_agree1').click()
    await page.getByText('Allow', { exact: true }).click()
    await page.getByText('Allow', { exact: true }).click()
    await page.locator('#input-for-name').waitFor()
  })

  test.each([
    ['bots', "Automated bots aren't allowed to join this meeting."],
    ['captcha', 'Verify to continue'],
    ['sign_in', 'Sign in to join this meeting'],
    ['image_captcha', 'Type the characters you see'],
    ['registration_form', 'Meeting Registration'],
    ['invalid_link', 'This meeting link is invalid (3,001)'],
  ] as const)('shows the block page %s', async (landing, text) => {
    const { page } = await site.visit({ web: { landing } })
    await page.getByText(text).waitFor()
  })

  test.each(['shadow_root', 'other_site'] as const)(
    'shows a block page in a place that the page’s own text leaves out: %s',
    async (wallIn) => {
      const { page } = await site.visit({ web: { landing: 'bots', wallIn } })
      const text = "Automated bots aren't allowed to join this meeting."
      const place = wallIn === 'shadow_root' ? page : page.frameLocator('iframe:not([title])')
      await place.getByText(text).first().waitFor()
      expect(await page.innerText('body')).not.toContain(text)
    },
  )

  test('shows the badge of an invisible captcha, partly beyond the edge of the window', async () => {
    const { page } = await site.visit()
    const badge = await page.locator('.grecaptcha-badge iframe').boundingBox()
    expect(badge).toMatchObject({ width: 256, height: 60 })
    expect((badge?.x ?? 0) + 256).toBeGreaterThan(1_280)
  })

  test.each(['meeting', 'webinar'] as const)(
    'redirects a link to a %s with registration, unless it has a registrant’s token',
    async (kind) => {
      const { meeting, page } = await site.visit({ kind, web: { landing: 'registration_page' } })
      await page.getByText('Register').waitFor()
      expect(new URL(page.url()).pathname).toMatch(new RegExp(`^/${kind}/register/`))
      await page.goto(`${meeting.url}&tk=abc`)
      await page.locator('#input-for-name').waitFor()
    },
  )
})

describe('joining the simulator', () => {
  test('enables Join only after real keys', async () => {
    const { page } = await site.visit()
    const join = page.locator('button.preview-join-button')
    await page.locator('#input-for-name').evaluate((field: HTMLInputElement) => {
      field.value = 'Script'
      field.dispatchEvent(new Event('input'))
    })
    expect(await join.isDisabled()).toBe(true)
    await page.locator('#input-for-name').pressSequentially('A')
    expect(await join.isDisabled()).toBe(false)
  })

  test('refuses a wrong passcode and accepts the right one', async () => {
    const meeting = site.zoom.meeting()
    const page = await site.newPage()
    await page.goto(meeting.url.replace(/\?.*/, ''))
    await page.locator('#input-for-pwd').fill('wrong')
    await askToJoin(page)
    await page.getByText('Incorrect passcode').waitFor()
    await page.locator('#input-for-pwd').fill(meeting.scenario.passcode)
    await page.locator('button.preview-join-button').evaluate((button: HTMLElement) => button.click())
    await page.locator(LEAVE).waitFor()
  })

  test('waits in the waiting room, with the app hidden behind it, until it is admitted', async () => {
    const { meeting, page } = await site.visit({ knock: 'waiting_room', lobby: 'please_wait' })
    await askToJoin(page)
    await page.locator('.wr-main-content', { hasText: 'You are in the waiting room' }).waitFor()
    await page.locator('.meeting-app').waitFor({ state: 'hidden' })
    expect(await page.locator(LEAVE).count()).toBe(0)
    meeting.admit()
    await page.locator(LEAVE).waitFor()
  })

  test('asks for the passcode when that of the link is wrong', async () => {
    const meeting = site.zoom.meeting()
    const page = await site.newPage()
    await page.goto(meeting.url.replace(meeting.passcodeToken, 'other.1'))
    await askToJoin(page)
    await page.getByText('Incorrect passcode').waitFor()
    await page.locator('#input-for-pwd').fill(meeting.scenario.passcode)
    await page.locator('button.preview-join-button').evaluate((button: HTMLElement) => button.click())
    await page.locator(LEAVE).waitFor()
  })

  test('shows a block page on the first load only, and a link that becomes valid', async () => {
    const { meeting, page } = await site.visit({ web: { landing: 'invalid_link', wall: 'bots', walls: 1 } })
    await page.getByText('This meeting link is invalid (3,001)').waitFor()
    meeting.setLanding('none')
    await page.reload()
    await askToJoin(page)
    await page.getByText("Automated bots aren't allowed to join this meeting.").waitFor()
    await page.reload()
    await askToJoin(page)
    await page.locator(LEAVE).waitFor()
    await page.locator('.single-main-container__video-frame', { hasText: 'Notetaker' }).waitFor()
  })

  test('works inside the frame of the PWA', async () => {
    const { page } = await site.visit({ web: { frame: 'pwa' } })
    const frame = await eventually('the frame', () => page.frames().find((it) => it.url().includes('inframe')))
    await askToJoin(frame)
    await frame.locator(LEAVE).waitFor()
  })

  test('stalls on the first load and gets through on the second', async () => {
    const { page } = await site.visit({ web: { stall: 'frozen' } })
    await askToJoin(page)
    await page.locator('#video-share-layout video-player').waitFor({ state: 'attached' })
    await page.reload()
    await askToJoin(page)
    await page.locator(LEAVE).waitFor()
  })

  test('asks for consent to a disclaimer and to the recording', async () => {
    const { page } = await site.visit({ web: { disclaimer: true, recordingConsent: true } })
    await askToJoin(page)
    await page.locator('#disclaimer_agree').click()
    await page.locator('.zm-modal', { hasText: 'This meeting is being recorded' }).getByText('Got it').click()
    await page.locator(LEAVE).waitFor()
  })
})

describe('the simulated meeting', () => {
  test('lists people, carries chat both ways and leaves in two steps', async () => {
    const { meeting, page } = await site.visit()
    await askToJoin(page)
    await page.locator(LEAVE).waitFor()
    const ann = await meeting.call.join({ name: 'Ann', host: true, voice: 440 })
    await page.locator('button[aria-label="open the participants list pane,[2] particpants"]').click()
    await page.locator('.participants-li', { hasText: 'Ann(Host)' }).waitFor()
    await page.locator('.speaker-active-container__video-frame', { hasText: 'Ann' }).waitFor()
    await page.getByLabel('open the chat panel').click()
    ann.write('Hello')
    await page.locator(`#chat-list-content .new-chat-message__container:has([data-userid="${ann.userId}"])`, { hasText: 'Hello' }).waitFor()
    await page.locator('.chat-rtf-box__editor-outer [contenteditable]').pressSequentially('Good morning')
    await page.keyboard.press('Enter')
    await eventually('it is written', () => meeting.call.chat().find(({ text }) => text === 'Good morning'))
    await page.locator(LEAVE).click()
    await page.locator('button.leave-meeting-options__btn--danger').click()
    await eventually('it is gone', () => meeting.inside().length === 0)
    await page.waitForURL('https://www.zoom.us/')
  })

  test('hands signalling messages from a worker to the page', async () => {
    const meeting = site.zoom.meeting()
    const page = await site.newPage()
    await page.addInitScript(keepWorkerMessages)
    await page.goto(meeting.url)
    await askToJoin(page)
    await page.locator(LEAVE).waitFor()
    const ann = await meeting.call.join({ name: 'Ann', voice: 440 })
    const messages = () => page.evaluate(() => (window as unknown as { kept: { type: string; data: string }[] }).kept)
    const find = (evt: number, part: string) =>
      eventually(`${evt}`, async () =>
        (await messages()).find((it) => it.type === 'message' && it.data.includes(`"evt":${evt}`) && it.data.includes(part)),
      )
    await find(7937, `"dn2":"${Buffer.from('Ann').toString('base64')}"`)
    await find(12033, `"asn1":${ann.userId}`)
    ann.leave()
    await find(7937, `"remove":{"${ann.userId}"`)
  })

  test('shows captions after they were turned on in the menu', async () => {
    const { meeting, page } = await site.visit()
    await askToJoin(page)
    await page.locator("div[aria-label='More meeting control ']").click()
    await page.locator("a[aria-label='Captions']").click()
    await page.locator("a[aria-label='Your caption settings grouping Show Captions']").click()
    await page.locator('.zm-modal', { hasText: 'My Caption Language' }).getByText('Save').click()
    await page.locator('.zm-modal', { hasText: 'This meeting is being transcribed' }).getByText('OK').click()
    const ann = await meeting.call.join({ name: 'Ann' })
    ann.caption({ text: 'Hello there' })
    await page.locator('#live-transcription-subtitle .live-transcription-subtitle__item', { hasText: 'Hello there' }).waitFor()
  })

  test('shows that the host has ended the meeting', async () => {
    const { meeting, page } = await site.visit()
    await askToJoin(page)
    await page.locator(LEAVE).waitFor()
    meeting.end()
    await page.locator('.zm-modal-body-title', { hasText: 'This meeting has been ended by host' }).first().waitFor()
  })
})

describe('languages of the simulator', () => {
  test.each([
    ['de', 'Der Host lässt Sie ein, wenn er soweit ist'],
    ['nl', 'De host laat u toe als ze klaar zijn'],
    ['zh', '主持人准备就绪后，会准许你加入'],
  ] as const)('shows the waiting room in %s', async (language, text) => {
    const { page } = await site.visit({ knock: 'waiting_room', lobby: 'admit_ready', web: { language } })
    await askToJoin(page)
    await page.locator('.wr-main-content', { hasText: text }).waitFor()
  })
})

/** Runs in the page before its scripts: records the messages of its workers. */
function keepWorkerMessages(): void {
  const kept: unknown[] = []
  Object.assign(window, { kept })
  const { Worker: Plain } = window
  window.Worker = class extends Plain {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options)
      this.addEventListener('message', ({ data }) => kept.push(data))
    }
  }
}
