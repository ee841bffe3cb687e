// The texts of the waiting room, and of the dialogs that end or refuse a meeting.
import { messageOf } from '../site/messages.ts'
import type { Scenario } from '../site/scenario.ts'
import type { EndBody, HoldBody } from '../site/wire.ts'
import type { Words } from '../site/words.ts'

export function endTexts(word: EndBody['word'], code: number, words: Words): readonly [title: string, content: string] {
  const titles: Readonly<Record<Exclude<EndBody['word'], 'error'>, readonly [string, string]>> = {
    ended: [words.ended, ''],
    ended_free: [words.endedFree, ''],
    ended_new_meeting: [words.endedNewMeeting, ''],
    removed: [words.removed, ''],
    removed_waiting: [words.youAreRemoved, ''],
  }
  if (word !== 'error') return titles[word]
  const errors: Readonly<Record<number, readonly [string, string]>> = {
    3009: [words.unableToJoin, words.removedBefore],
    4004: [words.endedPlain, ''],
    4005: [words.capacityTitle, words.capacity],
    4006: [words.unableToJoin, words.locked],
  }
  return errors[code] ?? [words.unableToJoin, `${messageOf(code)} (${code})`]
}

export function waitingText(standing: Exclude<HoldBody['standing'], 'inside'>, lobby: Scenario['lobby'], words: Words): readonly string[] {
  const { waitForHost, admitReady, putOnHold, hostKnows, pleaseWait, inWaitingRoom, aboutToJoin, hostLost } = words
  if (standing === 'not_started') return [waitForHost]
  const texts: Readonly<Record<Scenario['lobby'], readonly string[]>> = {
    host_knows: [hostKnows],
    please_wait: [pleaseWait, inWaitingRoom],
    admit_ready: [admitReady],
    put_on_hold: [putOnHold],
    about_to_join: [aboutToJoin],
    host_lost: [hostLost],
  }
  return texts[lobby]
}
