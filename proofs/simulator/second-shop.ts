import type pg from 'pg'
import { createFixture } from './fixture.ts'
import { createFlows } from './flows.ts'
import type { ActOf, Harness } from './harness.ts'
import type { Scene } from './invariants/scene.ts'
import type { SendBlocks } from './providers.ts'
import { openShop } from './shop.ts'
import { readState, type State } from './state.ts'
import type { Act, Step } from './steps.ts'

// A second store of the account, on WooCommerce, when the first is on Shopify. The same people visit both. Carts,
// orders and consents are per store; unsubscribes and erasures hold for both. Everything else is inherited from the
// first harness.

export async function openSecondShop(pool: pg.Pool, first: Harness): Promise<Harness> {
  const { scenario, clock, fixture } = first
  const own = await createFixture(pool, { ...scenario, shopify: null }, clock.now(), fixture.accountId)
  const other = {
    fixture: own,
    shop: openShop(clock, own.homeUrl),
    shopify: null,
    other: null,
    browsers: first.browsers.map(() => ({ visit: 0, page: 0, seq: -1 })),
    latePosts: [],
    lateWebhooks: [],
    lateDeliveries: [],
    carts: [],
    arrivals: 0,
    isCrowdFull: false,
    contacts: new Map(),
    usable: new Set(),
    refused: new Map(),
    withdrawn: new Map(),
    consented: new Set(),
    flows: createFlows(own, clock.now().getTime()),
    isDisconnected: false,
    stepSnapshots: [],
    justUnsubscribed: null,
  }
  return Object.assign(Object.create(first), other)
}

const NO_OTHERS: ReadonlyMap<string, number> = new Map()

/** The second store is never paused, switched off or disconnected. */
export function readSecondBlocks(other: Harness, of: SendBlocks, channel: string, address: string): SendBlocks {
  const stays = {
    pausedSince: null,
    flowOffSince: null,
    othersOffSince: NO_OTHERS,
    disconnectedSince: null,
    restingSince: null,
  }
  const withdrawnSince = other.withdrawn.get(`${channel}:${address}`) ?? null
  return { ...of, ...stays, withdrawnSince, hasConsented: other.consented.has(`${channel}:${address}`) }
}

const known = new WeakMap<State, State>()

/** Returns the same object for the same state. */
function omitUsage(state: State): State {
  if (!known.has(state)) known.set(state, { ...state, usage: [] })
  return known.get(state)!
}

const NOTHING: Step = { do: 'new visit', browser: 0, waitMs: 0 }

/** Splits a scene for the invariants of each store; usage of the account belongs to both. */
export function splitScenes(
  scene: Scene,
  states: { state: State; before: State | null },
): [first: Scene, other: Scene] {
  const { harness, step } = scene
  const { other } = harness
  const isOthers = ({ evidence }: Scene['mails'][number]) => evidence?.store === other!.fixture.storeId
  const first = {
    state: omitUsage(scene.state),
    before: scene.before && omitUsage(scene.before),
    mails: scene.mails.filter((mail) => !isOthers(mail)),
    fresh: scene.fresh.filter((mail) => !isOthers(mail)),
  }
  const second = {
    harness: other!,
    step: step.do === 'in the other shop' ? { ...step.act, waitMs: step.waitMs } : NOTHING,
    state: omitUsage(states.state),
    before: states.before && omitUsage(states.before),
    traces: [],
    mails: scene.mails.filter(isOthers),
    fresh: scene.fresh.filter(isOthers),
  }
  return [
    { ...scene, ...first },
    { ...scene, ...second },
  ]
}

export const readSecondShop = (pool: pg.Pool, { other }: Harness, before: State | null): Promise<State | null> =>
  other ? readState(pool, other.fixture.storeId, before) : Promise.resolve(null)

export const secondShopPlayers = (play: (harness: Harness, act: Act) => Promise<void>) => ({
  async 'in the other shop'({ other }: Harness, { act }: ActOf<'in the other shop'>) {
    if (other) await play(other, act)
  },
})
