// The encoders of composed videos, with their ffmpeg options.

export const VIDEO_PRESETS = ['small', 'balanced', 'fast'] as const
export type VideoPreset = (typeof VIDEO_PRESETS)[number]

/** Hardware first, in the order in which `auto` tries it. */
export const HARDWARE_ENCODERS = ['nvenc', 'vaapi', 'v4l2'] as const
export const VIDEO_ENCODERS = [...HARDWARE_ENCODERS, 'x264'] as const
export type EncoderName = (typeof VIDEO_ENCODERS)[number]

export type Encoder = {
  readonly name: EncoderName
  readonly preset: VideoPreset
  /** The version of ffmpeg: parameter sets of several versions may differ, and a video has one list of them. */
  readonly build?: string
}

export const DEFAULT_ENCODER: Encoder = { name: 'x264', preset: 'balanced' }

type EncoderOptions = {
  /** Before the inputs. */
  readonly device?: readonly string[]
  /** At the end of the filter graph. */
  readonly upload?: readonly string[]
  readonly codec: Readonly<Record<VideoPreset, readonly string[]>>
}

/** No B-frames: pieces are concatenated without encoding, so each must end exactly at its last frame. */
const NO_B_FRAMES = ['-bf', '0']
const X264 = ['-c:v', 'libx264', ...NO_B_FRAMES, '-pix_fmt', 'yuv420p', '-threads', '1']
/** Options of slower presets that save many bytes for little time. Without the first, the preset `ultrafast` makes 2.5 times the bytes. */
const SAVING_BYTES = ['mbtree=1', 'rc-lookahead=5', 'aq-mode=1']
const SAVING_MORE = [...SAVING_BYTES, 'cabac=1', 'deblock=1,1', 'subme=1']
const X264_OPTIONS: Readonly<Record<VideoPreset, readonly string[]>> = { small: [], balanced: SAVING_MORE, fast: SAVING_BYTES }
/** All pieces have the same parameter sets: a file has those of its first piece. */
const STITCHABLE = 'stitchable=1'
/** The number of the parameter sets of x264 beside copied pieces. Senders count from 0. */
export const OWN_SET = 31
/** Forced key frames must be IDR frames, at which a player can start. */
const NVENC = ['-c:v', 'h264_nvenc', '-rc', 'vbr', '-cq', '28', '-b:v', '0', '-forced-idr', '1', ...NO_B_FRAMES, '-pix_fmt', 'yuv420p']
const VAAPI = ['-c:v', 'h264_vaapi', '-rc_mode', 'CQP', '-qp', '26', ...NO_B_FRAMES]
/** It has no mode of constant quality, and does not write the range of its colours. */
const V4L2 = ['-c:v', 'h264_v4l2m2m', '-pix_fmt', 'yuv420p', '-bsf:v', 'h264_metadata=video_full_range_flag=1', '-b:v']

const OPTIONS: Readonly<Record<EncoderName, EncoderOptions>> = {
  x264: {
    codec: {
      small: [...X264, '-preset', 'veryfast'],
      balanced: [...X264, '-preset', 'ultrafast'],
      fast: [...X264, '-preset', 'ultrafast'],
    },
  },
  nvenc: { codec: { small: [...NVENC, '-preset', 'p6'], balanced: [...NVENC, '-preset', 'p4'], fast: [...NVENC, '-preset', 'p2'] } },
  vaapi: {
    device: ['-vaapi_device', '/dev/dri/renderD128'],
    upload: ['format=nv12', 'hwupload'],
    codec: { small: VAAPI, balanced: VAAPI, fast: VAAPI },
  },
  v4l2: { codec: { small: [...V4L2, '1M'], balanced: [...V4L2, '1500k'], fast: [...V4L2, '2M'] } },
}

/** The constant rate factor of x264. Letters of a shared screen need more than faces. `small` is as similar to its sources as `balanced`. */
const CRF = {
  cameras: { small: 30, balanced: 28, fast: 28 },
  screen: { small: 26, balanced: 25, fast: 25 },
} as const
/** `besideCopies`: in a video with copied pieces. */
type Content = { readonly shows: keyof typeof CRF; readonly besideCopies: boolean }

const KEY_FRAME_SECONDS = 5
const COLOURS = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'pc']

export type EncodingArgs = { readonly device: readonly string[]; readonly upload: readonly string[]; readonly output: readonly string[] }

/** The options of one encoding, for each place of the command. */
export function encodingArgs({ name, preset }: Encoder, fps: number, { shows, besideCopies }: Content): EncodingArgs {
  const { device = [], upload = [], codec } = OPTIONS[name]
  const ofX264 = [...X264_OPTIONS[preset], STITCHABLE, ...(besideCopies ? [`sps-id=${OWN_SET}`] : [])].join(':')
  const quality = name === 'x264' ? ['-crf', String(CRF[shows][preset]), '-x264-params', ofX264] : []
  // Key frames also by time, because repeated frames are left out.
  const keyFrames = ['-g', String(KEY_FRAME_SECONDS * fps), '-force_key_frames', `expr:gte(t,n_forced*${KEY_FRAME_SECONDS})`]
  return { device, upload, output: [...codec[preset], ...quality, ...keyFrames, ...COLOURS] }
}
