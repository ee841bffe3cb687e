// A Zoom client that decodes media by itself, without WebRTC tracks.
import { test } from 'vitest'
import { openForFile } from '../../helpers/for-file.ts'
import { ZoomStage } from '../../helpers/meetings/zoom.ts'
import { recordsDecodedMedia } from '../../helpers/meetings/zoom-decoded.ts'

const LONG = 180_000

const stage = openForFile(() => ZoomStage.open({}, { sendsToItself: true }), LONG)

test('records audio and video that the client decodes, and leaves mixed audio unattributed', { timeout: LONG }, () =>
  recordsDecodedMedia(stage, { recording: 'allowed' }, { doneWithinMs: LONG, speaker: '' }),
)
