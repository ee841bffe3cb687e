/// <reference lib="dom" />
// The event listeners of the SDK. They are attached to `#zmmtg-root`, which must exist.

/** A second listener for one of these replaces the first. */
const ONE_LISTENER: ReadonlySet<string> = new Set([
  ...['onPreviewPannel', 'onClaimStatus', 'onNetworkQualityChange', 'onMediaCapturePermissionChange', 'onMediaCaptureStatusChange'],
  ...['onRoomStatusChange', 'onFocusModeStatusChange', 'onPictureInPicture', 'onVideoOrder', 'onFeedBackData'],
  ...['onAudioQos', 'onVideoQos', 'onShareQos'],
])

const single = new Map<string, EventListener>()

export function root(): HTMLElement {
  const found = document.getElementById('zmmtg-root')
  if (!found) throw new TypeError("Cannot read properties of null (reading 'addEventListener')")
  return found
}

export function makeRoots(): void {
  for (const id of ['zmmtg-root', 'aria-notify-area', 'notificationManager', 'video-pip-container']) {
    if (document.getElementById(id)) continue
    const element = document.createElement('div')
    element.id = id
    document.body.append(element)
  }
}

export function listen(event: string, callback: (data: unknown) => void): void {
  const listener: EventListener = (given) => callback((given as CustomEvent).detail.data)
  const before = single.get(event)
  if (before) root().removeEventListener(event, before)
  if (ONE_LISTENER.has(event)) single.set(event, listener)
  root().addEventListener(event, listener)
}

export function emit(event: string, data: unknown): void {
  root().dispatchEvent(new CustomEvent(event, { detail: { data } }))
}

const JOIN_SPEED: Readonly<Record<number, string>> = {
  0: 'sdk init',
  1: 'sdk call join',
  4: 'user waiting for host',
  5: 'user poll meeting started, start join',
  6: 'user in waiting room',
  7: 'user out waiting room',
  8: 'user join success',
  9: 'user join success with audio decode init success',
  10: 'user join success with video decode init success',
  11: 'user join success with audio encode init success',
  12: 'user join success with video encode init success',
  13: 'user start join audio',
  14: 'user join audio success',
  15: 'user start join video',
  16: 'user join video success',
}

export function emitJoinSpeed(level: number): void {
  const time = Date.now()
  emit('onJoinSpeed', { tag: 'JOIN_SPEED', level, text: JOIN_SPEED[level], time, timeStr: new Date(time).toISOString() })
}
