import crypto from 'node:crypto'
import type pg from 'pg'
import type { CapturePost } from '../../shared/capture.ts'
import { type Actor, aProcess, aWorker, type Outside, observer } from './actors.ts'
import { type Clock, startClock } from './clock.ts'
import { type Person, peopleOf } from './people.ts'
import { openPost, type Post, providerIdOf, type Standing } from './post.ts'
import { openShop, type Shop, type Version } from './shop.ts'
import { type Stage, setStage } from './stage.ts'
import { type Act, type Channel, type History, hasTexts } from './steps.ts'
import type { Report, Words } from './texts.ts'
import type { Cart } from './witness.ts'

// Everything a history is played with.

export interface Theatre {
  history: History
  stage: Stage
  clock: Clock
  shop: Shop
  post: Post
  outside: Outside
  web: Actor
  workers: Actor[]
  browsers: { visit: number; page: number; seq: number }[]
  latePosts: CapturePost[]
  lateWebhooks: Version[]
  arrivals: number
  deadlocks: number
  hasJumped: boolean
  editedAt: number | null
  people: readonly Person[]
  /** As they were after the last step, those left first: which one an act by hand means. */
  carts: readonly Cart[]
  /** By `channel:address`, in true time. */
  unsubscribed: Map<string, number>
  withdrawn: Map<string, number>
  /** Also by `all:address`. */
  suppressed: Map<string, number>
  /** By address. */
  erased: Map<string, number>
  /** Erasures whose job has not ended yet. */
  erasing: string[]
  /** `channel:address`; `channel:*` where it was not said whose. */
  yeses: Set<string>
  /** When each person last said STOP or START, as their phone dates it. */
  keywords: Map<string, { words: string; saidAt: number }>
  /** By phone, when WhatsApp was last written on. */
  wrote: Map<string, number>
  lateWords: Words[]
  lateReports: Report[]
  /** What each message's provider has said of it, and was believed. */
  reported: Map<string, Set<Report['status']>>
  /** When a message's provider first said that it failed, in true time. */
  failedAt: Map<string, number>
  byHand: ByHand
  /** There is a control group only while a flow is on. */
  isFlowOn: boolean
  /** Whose unsubscribe the last step was. */
  justUnsubscribed: { channel: Channel; address: string } | null
  say(news: Partial<Standing>): void
}

export type ActOf<Kind extends Act['do']> = Extract<Act, { do: Kind }>

/** The store, as the web server reaches it. */
export const handle = ({ stage, web }: Theatre) => ({ storeId: stage.storeId, db: web.deps.db })
export const account = ({ stage, web }: Theatre) => ({ accountId: stage.accountId, db: web.deps.db })

/** A request by hand, which may come again under its key. */
export interface Asked {
  body: string
  /** True time. */
  at: number
  engineAt: number
  /** So many wait for an answer to it. */
  waiting: number
  /** A message was written for it. */
  isMade: boolean
}

/** What people have asked for by hand. */
export interface ByHand {
  /** By key. */
  asked: Map<string, Asked>
  /** So many messages may there be. */
  allowed: number
  /** Messages that were said to be sent. */
  saidSent: string[]
}

export async function openTheatre(pool: pg.Pool, history: History): Promise<Theatre> {
  const clock = startClock(history.startHour)
  const stage = await setStage(pool, history, clock.now())
  const shop = openShop(clock, stage.homeUrl)
  const budget = { micros: history.budgetMicros, since: 0 }
  const owner = { pausedSince: null, flowOffSince: null, disconnectedSince: null, budget, plannedSince: 0 } as Standing
  const theatre = {
    history,
    stage,
    clock,
    shop,
    browsers: [0, 1, 2].map(() => ({ visit: 0, page: 0, seq: -1 })),
    latePosts: [],
    lateWebhooks: [],
    arrivals: 0,
    deadlocks: 0,
    hasJumped: false,
    editedAt: null,
    people: peopleOf(history.countries),
    carts: [],
    unsubscribed: new Map(),
    withdrawn: new Map(),
    suppressed: new Map(),
    erased: new Map(),
    erasing: [],
    yeses: new Set(),
    keywords: new Map(),
    wrote: new Map(),
    lateWords: [],
    lateReports: [],
    reported: new Map(),
    failedAt: new Map(),
    byHand: { asked: new Map(), allowed: 0, saidSent: [] },
    isFlowOn: true,
    justUnsubscribed: null,
    say: (news: Partial<Standing>) => Object.assign(owner, news),
  } as unknown as Theatre
  theatre.post = openPost(clock, observer(pool), (channel, address) => ({
    ...owner,
    unsubscribedSince: theatre.unsubscribed.get(`${channel}:${address}`) ?? null,
    withdrawnSince: theatre.withdrawn.get(`${channel}:${address}`) ?? null,
    suppressedSince: suppressedSince(theatre, channel, address),
    erasedSince: theatre.erased.get(address) ?? null,
    hasSaidYes: theatre.yeses.has(`${channel}:${address}`) || theatre.yeses.has(`${channel}:*`),
  }))
  const texts = hasTexts(history)
    ? { template: history.template, finalCost: (id: string) => finalCost(theatre, id) }
    : null
  theatre.outside = { pool, clock, client: () => shop.client, take: theatre.post.take, texts, replies: [] }
  theatre.web = aProcess(theatre.outside, crypto.randomUUID())
  theatre.workers = [await aWorker(theatre.outside), await aWorker(theatre.outside)]
  return theatre
}

function suppressedSince({ suppressed }: Theatre, channel: Channel, address: string): number | null {
  const since = [channel, 'all'].flatMap((each) => suppressed.get(`${each}:${address}`) ?? [])
  return since.length > 0 ? Math.min(...since) : null
}

/** Half of what the price list says, for every other message. */
function finalCost({ post }: Theatre, providerId: string) {
  const index = post.mails.findIndex(({ id }) => providerIdOf(id) === providerId)
  const micros = post.mails[index]?.micros ?? 0
  return index >= 0 ? { amountMicros: index % 2 === 0 ? micros : micros / 2, currency: 'USD' } : null
}
