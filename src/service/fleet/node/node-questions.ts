// Questions of one node to another while the database is away. They are answered by the internal route, with the key in the other node's row.
import { isLoopback } from '../../../kit/addresses.ts'
import type { HttpClient } from '../../../kit/http-client.ts'
import { NetworkError } from '../../../kit/network-error.ts'
import type { NodeAddress } from '../../db/fleet/nodes.ts'
import type { LapseRights } from './lapse-rights.ts'

export type NodeQuestion =
  /** For how long does the node end no lapsed lease? 0: it may, because it reaches the database. */
  | { readonly kind: 'promise' }
  /** Do bots sit in workers of the node? */
  | { readonly kind: 'holds' }

export type QuestionAnswer = { readonly promisedMs: number; readonly holds: boolean }

/** `gone`: no process listens at the address. `silent`: nothing is known. */
export type NodeReply = QuestionAnswer | 'gone' | 'silent'

export type AnswerNode = (question: NodeQuestion) => Promise<QuestionAnswer>

type Answering = { readonly rights: Pick<LapseRights, 'promisedMs'>; readonly holds: () => boolean }

export function answerFor({ rights, holds }: Answering): AnswerNode {
  return async ({ kind }) => ({ promisedMs: kind === 'promise' ? await rights.promisedMs() : 0, holds: holds() })
}

export type AskNode = (node: NodeAddress, question: NodeQuestion) => Promise<NodeReply>

/** Longer than the node's own question to the database takes. */
export const ANSWER_WITHIN_MS = 1_200
const MOST_ANSWER_BYTES = 10_000

/** `ownAddress`: `NODE_URL` of this node. */
export function askNodesBy(http: Pick<HttpClient, 'request'>, ownAddress?: string): AskNode {
  return async ({ address, key }, question) => {
    const headers = { authorization: `Node ${key}`, 'content-type': 'application/json' }
    const exchange = { headers, body: JSON.stringify(question), timeoutMs: ANSWER_WITHIN_MS, maxBytes: MOST_ANSWER_BYTES }
    try {
      const { status, body } = await http.request(`${address}/internal/v1/node`, exchange)
      // Another key than that of the process: a balancer, a wrong address, or a process that has replaced the node.
      return status === 200 ? (JSON.parse(body.toString()) as QuestionAnswer) : 'silent'
    } catch (error) {
      return isRefused(error) && address !== ownAddress && !isOnEachMachine(address) ? 'gone' : 'silent'
    }
  }
}

/** A host that cannot be reached may be alive. */
function isRefused(error: unknown): boolean {
  const cause = error instanceof NetworkError ? error.cause : null
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
}

const UNSPECIFIED = ['0.0.0.0', '[::]']

/** The address of a node without `NODE_URL`, which leads each machine to itself. */
function isOnEachMachine(address: string): boolean {
  const { hostname } = new URL(address)
  return isLoopback(hostname) || UNSPECIFIED.includes(hostname)
}
