// What a bot does when its request says nothing of it.
import { LEAVE_DEFAULTS } from './automatic-leave.ts'
import type { BotSpec } from './bot.ts'

export const SPEC_DEFAULTS: Omit<BotSpec, 'meeting'> = {
  name: 'Emissary',
  audio: true,
  video: true,
  layout: 'grid_view',
  separateAudio: true,
  separateVideo: true,
  greeting: null,
  imageUrl: null,
  initialAudioUrl: null,
  leave: LEAVE_DEFAULTS,
  transcript: { provider: 'native', options: {} },
  liveWords: null,
  liveAudioUrl: null,
  controlUrl: null,
  realtime: [],
  retentionHours: null,
  zoomToken: null,
  signIn: null,
}
