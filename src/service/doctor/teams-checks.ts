// The check of the app by which bots identify themselves to Microsoft Teams.
import { type Check, ok, problem } from '../../domain/doctor.ts'
import type { BotIdentity } from '../../domain/protocol.ts'

const CURE =
  'Check TEAMS_BOT_TENANT, TEAMS_BOT_CLIENT_ID and TEAMS_BOT_CLIENT_SECRET. Until then bots join without identification. See docs/teams.md.'

/** No check if the server has no app. */
export function checkTeamsApp(identity: BotIdentity | null): readonly Check[] {
  if (!identity) return []
  if (identity.kind === 'refused') return [problem('teams app', identity.message, CURE)]
  return [ok('teams app', 'Microsoft gives bots a token. Only a join shows whether Teams knows them by it')]
}
