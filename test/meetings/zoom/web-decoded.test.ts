// A web client of Zoom that decodes media itself: its audio and video are recorded all the same.
import { test } from 'vitest'
import { openForFile } from '../../helpers/for-file.ts'
import { ZoomStage } from '../../helpers/meetings/zoom.ts'
import { recordsDecodedMedia } from '../../helpers/meetings/zoom-decoded.ts'

const LONG = 180_000

const stage = openForFile(() => ZoomStage.open({ ZOOM_WAY: 'web', ZOOM_SDK_KEY: '', ZOOM_SDK_SECRET: '' }, { sendsToItself: true }), LONG)

test('records audio and video that the client decodes, and names the speaker of mixed audio', { timeout: LONG }, () =>
  recordsDecodedMedia(stage, {}, { doneWithinMs: LONG, speaker: 'Ann' }),
)
