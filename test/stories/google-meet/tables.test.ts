// A bot that joins by tables of the operator's own.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { MeetStage } from '../../helpers/google-meet.ts'

async function stageWith(tables: object): Promise<MeetStage> {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-tables-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'google-meet.json'), JSON.stringify(tables))
  const stage = await MeetStage.open({}, { PLATFORM_TABLES: folder })
  onTestFinished(() => stage.close())
  return stage
}

test('judges a page by the sentence and the verdict of the file', async () => {
  const stage = await stageWith({
    sentences: { restricted: { says: ['meeting not found'] }, not_found: { says: [] } },
    verdicts: { restricted: { reason: 'MeetingRestricted', message: 'Not for us', afterSeconds: 0 } },
  })
  const id = await stage.send(stage.meeting({ landing: 'not_found' }).code)
  const { ErrorReason, StatusTimeline } = await stage.has(id, 'Failed')
  expect([ErrorReason, StatusTimeline.Failed.message]).toEqual([
    'MeetingRestricted',
    expect.stringContaining('Not for us: “Meeting not found'),
  ])
}, 120_000)

test('ends with a sentence that names a selector which the browser cannot read', async () => {
  const stage = await stageWith({ controls: { join: [{ css: 'button[' }] } })
  const id = await stage.send(stage.meeting({ knock: 'admitted' }).code)
  const { Evidence } = await stage.has(id, 'Error')
  expect(Evidence[0]).toMatchObject({ code: 'tables_invalid', message: 'The tables of Google Meet are wrong: button[ is no selector' })
}, 120_000)
