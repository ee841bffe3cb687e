// What a client of another project reads in the page of the simulated Microsoft Teams, with a listener that shares nothing with the driver.
import { expect, test } from 'vitest'
import { openForFile } from '../../helpers/for-file.ts'
import { askToJoin, eventually, openTeams } from '../../helpers/meetings/teams-page.ts'
import { energyIn, listenAsStranger, speakersIn, startCaptionsIn, strangerIn } from '../../helpers/meetings/teams-stranger.ts'

const LONG = { timeout: 90_000 }

const browser = openForFile(openTeams)

test('gives people who were there before, the mixed audio with its speakers, and captions', LONG, async () => {
  const { meeting, page } = await browser.prepare({ knock: 'admitted' })
  const ann = await meeting.call.join({ name: 'Ann Lee', voice: 440 })
  await meeting.call.join({ name: 'Ben', muted: true })
  await page.addInitScript(listenAsStranger)
  await page.goto(meeting.url, { waitUntil: 'domcontentloaded' })
  await askToJoin(page)
  const people = async () => Object.values((await strangerIn(page)).people).toSorted()
  await eventually('everybody is known', async () => (await people()).join() === 'Ann Lee,Ben,Notetaker')
  expect((await strangerIn(page)).audio).toEqual(['mainAudio-1'])
  await eventually('Ann can be heard', async () => (await energyIn(page)) > 0.001)
  await eventually('Ann is named', async () => (await speakersIn(page)).join() === 'Ann Lee')
  await startCaptionsIn(page)
  await eventually('captions are on', () => meeting.state()?.captions)
  ann.caption({ text: 'Good morning' })
  await eventually('the caption is there', async () => (await strangerIn(page)).captions.length > 0)
  expect((await strangerIn(page)).captions).toMatchObject([{ userId: ann.id, text: 'Good morning' }])
})
