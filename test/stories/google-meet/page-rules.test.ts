// Bots that use the operator's own page rules.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { MeetStage } from '../../helpers/meetings/google-meet.ts'

async function stageWith(pageRules: object): Promise<MeetStage> {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-page-rules-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'google-meet.json'), JSON.stringify(pageRules))
  const stage = await MeetStage.open({}, { PAGE_RULES: folder })
  onTestFinished(() => stage.close())
  return stage
}

test('ends a bot as the operator’s page rules say for the text of the screen', async () => {
  const stage = await stageWith({
    sentences: { restricted: { says: ['meeting not found'] }, not_found: { says: [] } },
    verdicts: { restricted: { reason: 'MeetingRestricted', message: 'Not for us', afterSeconds: 0 } },
  })
  const id = await stage.send(stage.meeting({ landing: 'not_found' }))
  const { ErrorReason, StatusTimeline } = await stage.has(id, 'Failed')
  expect([ErrorReason, StatusTimeline.Failed.message]).toEqual([
    'MeetingRestricted',
    expect.stringContaining('Not for us: “Meeting not found'),
  ])
}, 120_000)

test('reports a selector that the browser cannot parse', async () => {
  const stage = await stageWith({ controls: { join: [{ css: 'button[' }] } })
  const id = await stage.send(stage.meeting({ knock: 'admitted' }))
  const { Evidence } = await stage.has(id, 'Error')
  expect(Evidence[0]).toMatchObject({
    code: 'tables_invalid',
    message: 'The page rules of Google Meet are invalid: button[ is not a selector',
  })
}, 120_000)
