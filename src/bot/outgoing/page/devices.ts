/// <reference lib="dom" />
// Replaces the page's media devices by the bot's microphone and camera, and a speaker. Tracks name the device from which they come.

type Sources = { readonly microphone: () => MediaStreamTrack | undefined; readonly camera: () => MediaStreamTrack | undefined }
type Device = { readonly kind: MediaDeviceKind; readonly deviceId: string; readonly label: string; readonly groupId: string }

const groupId = 'built-in'
const MICROPHONE: Device = { kind: 'audioinput', deviceId: 'microphone', label: 'Microphone', groupId }
const CAMERA: Device = { kind: 'videoinput', deviceId: 'camera', label: 'Camera', groupId }
/** `setSinkId` knows this id on every machine. Without a speaker, Google Meet covers its pre-join page with an error. */
const SPEAKER: Device = { kind: 'audiooutput', deviceId: 'default', label: 'Speaker', groupId }

/** The rate of moving pictures. A canvas itself names none. */
const FRAME_RATE = 30

export function replaceDevices({ microphone, camera }: Sources): void {
  // On the prototype, so that pages that borrow the function get it too.
  Object.assign(MediaDevices.prototype, {
    async getUserMedia({ audio, video }: MediaStreamConstraints = {}): Promise<MediaStream> {
      const asked = [
        { wanted: audio, device: MICROPHONE, open: microphone },
        { wanted: video, device: CAMERA, open: camera },
      ].filter(({ wanted }) => wanted)
      if (asked.length === 0) throw new TypeError("Failed to execute 'getUserMedia': at least one of audio and video must be requested")
      for (const { wanted, device } of asked) checkDevice(wanted, device)
      return streamOf(asked.flatMap(({ device, open }) => [open() ?? []].flat().map((track) => trackOf(track, device))))
    },
    async enumerateDevices(): Promise<MediaDeviceInfo[]> {
      return [MICROPHONE, CAMERA, SPEAKER].map(deviceInfo)
    },
  })
}

/** Throws if the page insists on another device. */
function checkDevice(wanted: boolean | MediaTrackConstraints | undefined, device: Device): void {
  if (typeof wanted !== 'object') return
  for (const name of ['deviceId', 'groupId'] as const) {
    const value = wanted[name]
    const exact = typeof value === 'object' && 'exact' in value ? value.exact : undefined
    if (exact !== undefined && ![exact].flat().includes(device[name])) throw new OverconstrainedError(name)
  }
}

/** Own properties of the track: other tracks of the page keep the browser's functions. */
function trackOf(track: MediaStreamTrack, device: Device): MediaStreamTrack {
  const { deviceId } = device
  const settings = () => {
    const native = MediaStreamTrack.prototype.getSettings.call(track)
    return { ...native, ...(device === CAMERA && { frameRate: native.frameRate || FRAME_RATE }), deviceId, groupId }
  }
  const capabilities = () => ({
    ...MediaStreamTrack.prototype.getCapabilities.call(track),
    ...(device === CAMERA && { frameRate: { min: 0, max: FRAME_RATE } }),
    deviceId,
    groupId,
  })
  return withOwn(track, {
    label: device.label,
    getSettings: settings,
    getCapabilities: capabilities,
    clone: () => trackOf(MediaStreamTrack.prototype.clone.call(track), device),
  })
}

/** Clones of the stream have tracks with the same names. */
function streamOf(tracks: MediaStreamTrack[]): MediaStream {
  const stream = new MediaStream(tracks)
  return withOwn(stream, { clone: () => streamOf(stream.getTracks().map((track) => track.clone())) })
}

function deviceInfo(device: Device): MediaDeviceInfo {
  const isInput = device !== SPEAKER
  const { deviceId } = device
  const own = { ...device, toJSON: () => ({ ...device }), ...(isInput && { getCapabilities: () => ({ deviceId, groupId }) }) }
  return withOwn<MediaDeviceInfo>(Object.create(isInput ? InputDeviceInfo.prototype : MediaDeviceInfo.prototype), own)
}

function withOwn<Value extends object>(object: Value, own: Readonly<Record<string, unknown>>): Value {
  for (const [name, value] of Object.entries(own)) Object.defineProperty(object, name, { value, configurable: true })
  return object
}
