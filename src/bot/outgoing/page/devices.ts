/// <reference lib="dom" />
// Replaces the page's media devices by the bot's microphone and camera.

type Sources = { readonly microphone: () => MediaStreamTrack | undefined; readonly camera: () => MediaStreamTrack | undefined }

const GROUP = 'built-in'
const DEVICES = [
  { kind: 'audioinput', deviceId: 'microphone', label: 'Microphone' },
  { kind: 'videoinput', deviceId: 'camera', label: 'Camera' },
] as const

export function replaceDevices({ microphone, camera }: Sources): void {
  // On the prototype, so that pages that borrow the function get it too.
  Object.assign(MediaDevices.prototype, {
    async getUserMedia({ audio, video }: MediaStreamConstraints = {}): Promise<MediaStream> {
      if (!audio && !video) throw new TypeError("Failed to execute 'getUserMedia': at least one of audio and video must be requested")
      const tracks = [audio ? microphone() : [], video ? camera() : []].flat()
      return new MediaStream(tracks.filter((track) => track !== undefined))
    },
    async enumerateDevices(): Promise<MediaDeviceInfo[]> {
      return DEVICES.map(deviceInfo)
    },
  })
}

function deviceInfo(device: (typeof DEVICES)[number]): InputDeviceInfo {
  const facts = { ...device, groupId: GROUP }
  const info: InputDeviceInfo = Object.create(InputDeviceInfo.prototype)
  for (const [name, value] of Object.entries({ ...facts, toJSON: () => facts, getCapabilities: () => ({ ...facts, kind: undefined }) }))
    Object.defineProperty(info, name, { value })
  return info
}
