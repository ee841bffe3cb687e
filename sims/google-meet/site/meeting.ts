// One meeting on the server: its knocks, its participants, and the actions of a test.
import type { MeetSpace } from '../sfu/types.ts'
import { MARKETING_URL, signInUrl } from './addresses.ts'
import { Browsers } from './browsers.ts'
import type { Asked, Knock, Meeting } from './meeting-types.ts'
import type { Place, Rooms } from './rooms.ts'
import type { MediaPath, Scenario } from './scenario.ts'
import type { ScreenName } from './texts.ts'
import type { DeviceState, Press, ServerMessage } from './wire.ts'

type Stream = { readonly send: (message: ServerMessage) => void; readonly cut: () => void }
type Standing = 'knocking' | 'waiting' | 'host_absent' | 'inside' | 'out'
type Device = Omit<Knock, 'room'> & {
  standing: Standing
  last: ServerMessage | null
  /** Messages from before the page connected its stream. */
  undelivered: ServerMessage[]
  stream: Stream | null
  state: DeviceState | null
  timers: NodeJS.Timeout[]
}

const WAITING: ReadonlySet<Standing> = new Set(['waiting', 'host_absent'])

export class MeetingServer implements Meeting {
  readonly code: string
  readonly space: MeetSpace
  readonly scenario: Scenario
  readonly asked: Asked[] = []
  readonly pressed: Press[] = []
  isNetworkDown = false
  readonly arrivals: Browsers
  readonly #rooms: Rooms
  readonly #devices = new Map<string, Device>()
  #answer: Scenario['knock']

  constructor(code: string, scenario: Scenario, rooms: Rooms) {
    this.code = code
    this.scenario = scenario
    this.#rooms = rooms
    this.space = rooms.meeting
    this.arrivals = new Browsers(scenario.turnsAway, `/${code}`)
    this.#answer = scenario.knock
  }

  get url(): string {
    return `https://meet.google.com/${this.code}`
  }

  room = (name: string): MeetSpace => this.#rooms.space(name)
  placeOf = (deviceId: string): Place => this.#rooms.placeOf(deviceId)
  browsers = (): number => this.arrivals.count

  knocks = (): Knock[] => this.#waiting().map(this.#asKnock)
  inside = (): Knock[] => this.#insiders().map(this.#asKnock)
  state = (deviceId?: string) => (deviceId ? this.#devices.get(deviceId) : this.#insiders().at(-1))?.state ?? null

  answerKnocks(answer: Scenario['knock']): void {
    this.#answer = answer
  }

  admit(deviceId?: string): void {
    for (const device of this.#chosen(this.#waiting(), deviceId)) this.#move(device, 'inside', { kind: 'admitted' })
  }

  deny(deviceId?: string): void {
    for (const device of this.#chosen(this.#waiting(), deviceId))
      this.#move(device, 'out', { kind: 'screen', screen: this.scenario.denied })
  }

  hostArrives(): void {
    for (const device of this.#waiting()) if (device.standing === 'host_absent') this.#wait(device)
  }

  remove(deviceId?: string): void {
    for (const device of this.#chosen(this.#insiders(), deviceId)) {
      const { space, deviceId: own } = this.placeOf(device.deviceId)
      space.remove(own)
      this.#move(device, 'out', { kind: 'screen', screen: 'removed' })
    }
  }

  endForAll = (): void => this.#end('host_ended')
  everyoneLeft = (): void => this.#end('everyone_left')

  show(screen: ScreenName | 'marketing'): void {
    for (const device of [...this.#waiting(), ...this.#insiders()]) this.#answerTo(device, screen)
  }

  askWhetherStillThere(): void {
    for (const device of this.#waiting()) this.#notify(device, { kind: 'still_there' })
  }

  changeMedia(path: MediaPath): void {
    for (const device of this.#insiders()) this.#notify(device, { kind: 'media', path })
  }

  move(room: string | null, deviceId?: string): void {
    for (const device of this.#chosen(this.#insiders(), deviceId)) this.#notify(device, { kind: 'room', room: room ?? '' })
  }

  /** The page has gone along, or back by its own button. Returns its device id there. */
  enterRoom(deviceId: string, room: string): string {
    const device = this.#devices.get(deviceId)
    if (device) device.state = null
    return this.#rooms.enter(deviceId, room).deviceId
  }

  dropNetwork(): void {
    this.isNetworkDown = true
    for (const { space, deviceId } of this.#insiders().map((it) => this.placeOf(it.deviceId))) space.disconnect(deviceId)
    for (const device of this.#devices.values()) {
      const { stream } = device
      device.stream = null
      stream?.cut()
    }
  }

  restoreNetwork(): void {
    this.isNetworkDown = false
  }

  /** Handles a knock. The result is sent on the page's event stream. */
  knock(name: string): string {
    const deviceId = this.space.newDeviceId()
    const device: Device = {
      deviceId,
      name,
      atMs: Date.now(),
      standing: 'knocking',
      last: null,
      undelivered: [],
      stream: null,
      state: null,
      timers: [],
    }
    this.#devices.set(deviceId, device)
    const answer = this.#answer
    device.timers.push(setTimeout(() => this.#answerTo(device, answer), this.scenario.knockMs))
    return deviceId
  }

  /** In the lobby with knock `sync_limited`, or in every call with Sync `rate_limited`. */
  isSyncLimited(deviceId: string): boolean {
    const isWaiting = this.#devices.get(deviceId)?.standing === 'waiting'
    return this.scenario.sync === 'rate_limited' || (isWaiting && this.#answer === 'sync_limited')
  }

  isInside = (deviceId: string): boolean => this.#devices.get(deviceId)?.standing === 'inside'
  isRateLimited = (): boolean => this.#answer === 'rate_limited'

  nameOf = (deviceId: string): string | null => this.#devices.get(deviceId)?.name ?? null

  listen(deviceId: string, stream: Stream): void {
    const device = this.#devices.get(deviceId)
    if (!device) return
    device.stream = stream
    if (device.last) stream.send(device.last)
    for (const message of device.undelivered.splice(0)) stream.send(message)
  }

  /** A stream that ends on its own belongs to a closed tab. */
  hangUp(deviceId: string, stream: Stream): void {
    const device = this.#devices.get(deviceId)
    if (device?.stream !== stream) return
    device.stream = null
    this.leave(deviceId)
  }

  leave(deviceId: string): void {
    const device = this.#devices.get(deviceId)
    if (!device || device.standing === 'out') return
    if (device.standing === 'inside') this.#rooms.leave(deviceId)
    this.#move(device, 'out', null)
  }

  setState(deviceId: string, state: DeviceState): void {
    const device = this.#devices.get(deviceId)
    if (device) device.state = state
  }

  stop(): void {
    for (const device of this.#devices.values()) {
      this.#move(device, 'out', null)
      device.stream?.cut()
    }
  }

  close = (): Promise<void> => this.#rooms.close()

  #answerTo(device: Device, answer: Scenario['knock']): void {
    if (answer === 'lobby') this.#wait(device)
    else if (answer === 'host_absent') this.#move(device, 'host_absent', { kind: 'host_absent' })
    else if (answer === 'admitted') this.#move(device, 'inside', { kind: 'admitted' })
    else if (answer === 'blank') this.#move(device, 'out', { kind: 'blank' })
    else if (answer === 'dropped' || answer === 'dropped_black') this.#drop(device, answer === 'dropped_black')
    else if (answer === 'sync_limited') this.#wait(device)
    else if (answer === 'sign_in') this.#move(device, 'out', { kind: 'go', to: signInUrl(this.url) })
    else if (answer === 'marketing') this.#move(device, 'out', { kind: 'go', to: MARKETING_URL })
    else if (answer !== 'rate_limited') this.#move(device, 'out', { kind: 'screen', screen: answer })
  }

  #wait(device: Device): void {
    const { captcha, noResponseMs, idlePromptMs } = this.scenario
    this.#move(device, 'waiting', captcha === 'after_the_knock' ? { kind: 'captcha' } : { kind: 'lobby' })
    const later = (afterMs: number | null, act: () => void) => {
      if (afterMs !== null) device.timers.push(setTimeout(act, afterMs))
    }
    later(idlePromptMs, () => this.#notify(device, { kind: 'still_there' }))
    later(noResponseMs, () => this.#move(device, 'out', { kind: 'screen', screen: 'no_response' }))
  }

  /** The page fails and the meeting never sees a knock. The page may keep its lobby. */
  #drop(device: Device, isBlack: boolean): void {
    this.#move(device, 'out', { kind: 'lobby' })
    this.#notify(device, { kind: 'dropped', isBlack })
  }

  #notify(device: Device, message: ServerMessage): void {
    if (device.stream) device.stream.send(message)
    else device.undelivered.push(message)
  }

  #move(device: Device, standing: Standing, message: ServerMessage | null): void {
    for (const timer of device.timers.splice(0)) clearTimeout(timer)
    device.standing = standing
    device.undelivered = []
    if (!message) return
    device.last = message
    device.stream?.send(message)
  }

  #end(screen: ScreenName): void {
    for (const device of [...this.#waiting(), ...this.#insiders()]) {
      if (device.standing === 'inside') this.#rooms.leave(device.deviceId)
      this.#move(device, 'out', { kind: 'screen', screen })
    }
  }

  #asKnock = ({ deviceId, name, atMs }: Device): Knock => ({ deviceId, name, atMs, room: this.placeOf(deviceId).room })

  #waiting = (): Device[] => [...this.#devices.values()].filter((it) => WAITING.has(it.standing))
  #insiders = (): Device[] => [...this.#devices.values()].filter((it) => it.standing === 'inside')

  #chosen(devices: readonly Device[], deviceId: string | undefined): readonly Device[] {
    const chosen = devices.filter((it) => !deviceId || it.deviceId === deviceId)
    if (chosen.length === 0) throw new Error(`No device ${deviceId ?? ''} of ${this.code} is in the right state for this`)
    return chosen
  }
}
