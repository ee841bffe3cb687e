// Local recording: requests to the host, the host's answers, and the capture status.
import type { Attendee } from './attendee.ts'
import type { RecordingControl } from './control.ts'
import { type CaptureStatus, EVT } from './wire.ts'

export class Recording implements RecordingControl {
  readonly requests: number[] = []
  readonly changes: { readonly userId: number; readonly status: CaptureStatus; readonly atMs: number }[] = []
  readonly #insiders: () => readonly Attendee[]

  constructor(insiders: () => readonly Attendee[]) {
    this.#insiders = insiders
  }

  status = (userId?: number): CaptureStatus => this.#insiders().findLast((it) => userId === undefined || it.userId === userId)?.capture ?? 0

  allow(userId?: number): void {
    for (const attendee of this.#chosen(userId)) this.#answer(attendee, true)
  }

  deny(userId?: number): void {
    for (const attendee of this.#chosen(userId)) this.#answer(attendee, false)
  }

  withdraw(userId?: number): void {
    for (const attendee of this.#chosen(userId)) {
      this.#answer(attendee, false)
      this.capture(attendee, 0)
    }
  }

  capture(attendee: Attendee, status: CaptureStatus): void {
    if (attendee.capture === status || (status === 1 && !attendee.mayRecord)) return
    attendee.capture = status
    this.changes.push({ userId: attendee.userId, status, atMs: Date.now() })
    for (const insider of this.#insiders()) insider.send({ evt: EVT.recordingStatus, body: { status, userId: attendee.userId } })
  }

  #answer(attendee: Attendee, agreed: boolean): void {
    attendee.mayRecord = agreed
    attendee.send({ evt: EVT.recordingAnswer, body: { agreed } })
  }

  #chosen(userId: number | undefined): readonly Attendee[] {
    const those = this.#insiders().filter((it) => userId === undefined || it.userId === userId)
    if (those.length === 0) throw new Error(`There is no attendee ${userId ?? ''} in the meeting`)
    return those
  }
}
