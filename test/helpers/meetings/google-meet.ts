// A service whose bots reach the simulated Google Meet, and its helpers.
import { expect } from 'vitest'
import { type Meet, type Meeting, type MeetOptions, type Scenario, startMeet } from '../../../sims/google-meet/meet.ts'
import { until } from '../until.ts'
import { openStage, PlatformStage, type StageParts } from './platform-stage.ts'

/** Controls that a bot may press while it joins. Any other control leads elsewhere. */
const PRESSABLE =
  /^(microphone|camera|join|without_devices|use_without_account|got_it|dismiss|close_toast|close_device_error|close_dialog|keep_waiting|consent_\w+)$/

export class MeetStage extends PlatformStage {
  readonly meet: Meet
  #meetings = 0

  static async open(options: MeetOptions = {}, settings: Record<string, string> = {}): Promise<MeetStage> {
    const meet = await startMeet(options)
    // The simulator counts as a public site, for which this machine is another network.
    const flags = [...meet.flags, `--ip-address-space-overrides=127.0.0.1:${meet.port}=public`]
    return new MeetStage(meet, await openStage(flags, settings))
  }

  private constructor(meet: Meet, parts: StageParts) {
    super(parts)
    this.meet = meet
  }

  async close(): Promise<void> {
    await this.service.stop()
    await this.meet.stop()
    await this.hook.close()
  }

  /** A code that no other meeting of this stage has. */
  #newCode(): string {
    this.#meetings += 1
    return `emi-ssar-${String.fromCharCode(97 + Math.floor(this.#meetings / 26), 97 + (this.#meetings % 26))}y`
  }

  meeting(scenario: Partial<Scenario> = {}): Meeting {
    return this.meet.meeting(this.#newCode(), scenario)
  }

  /** A link whose meeting does not exist. */
  unknownMeeting(): { readonly url: string } {
    return { url: `https://meet.google.com/${this.#newCode()}` }
  }

  async waits(meeting: Meeting, id: string): Promise<void> {
    await this.has(id, 'InWaitingRoom')
    await until('it knocks', () => meeting.knocks().length > 0, 10_000)
  }
}

export function pressesOf({ pressed }: Meeting): readonly string[] {
  const controls = pressed.map(({ control }) => control)
  expect(
    controls.filter((it) => !PRESSABLE.test(it)),
    'nothing else is pressed on the way in',
  ).toEqual([])
  return controls
}
