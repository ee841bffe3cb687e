// Loads the detail record that the detail and summary reads share.
import type { Bot } from '../../../domain/bot.ts'
import { TERMINAL } from '../../../domain/lifecycle.ts'
import { listAbsences, listUnwrittenAbsences } from '../../db/fleet/absences.ts'
import { queueOf } from '../../db/fleet/claims.ts'
import { listParticipants } from '../../db/fleet/meetings.ts'
import { listArtefacts } from '../../db/media/recordings.ts'
import { bestTranscription } from '../../db/media/transcriptions.ts'
import { LEASES } from '../../leases.ts'
import type { ApiDeps } from '../deps.ts'
import { signerFor } from '../media/signer.ts'
import { presentDetail } from './present.ts'

export async function detailOf(deps: ApiDeps, bot: Bot, query: Parameters<typeof signerFor>[2]): Promise<ReturnType<typeof presentDetail>> {
  const [sign, absences, unwritten, transcription, queue, made, people] = await Promise.all([
    signerFor(deps, bot, query),
    listAbsences(deps.db, bot.id),
    deps.reachability.isReadOnly() ? listUnwrittenAbsences(deps.db, bot.id, LEASES.bot.seconds) : [],
    bestTranscription(deps.db, bot.id),
    TERMINAL.has(bot.status) ? null : queueOf(deps.db, bot.id),
    bot.status === 'MediaProcessing' ? listArtefacts(deps.db, bot.id, 'audio', 'video') : [],
    listParticipants(deps.db, bot.id),
  ])
  return presentDetail(bot, { absences: [...absences, ...unwritten], transcription, queue, made, people }, sign)
}
