import crypto from 'node:crypto'
import type pg from 'pg'
import type { CapturePost } from '../../shared/capture.ts'
import { type Actor, aProcess, aWorker, type Outside, observer } from './actors.ts'
import { type Clock, startClock } from './clock.ts'
import { openPost, type Post, type Standing } from './post.ts'
import { openShop, type Shop, type Version } from './shop.ts'
import { type Stage, setStage } from './stage.ts'
import type { History } from './steps.ts'

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
  unsubscribed: Map<string, number>
  withdrawn: Map<string, number>
  /** Whose unsubscribe the last step was. */
  justUnsubscribed: string | null
  say(news: Partial<Standing>): void
}

export async function openTheatre(pool: pg.Pool, history: History): Promise<Theatre> {
  const clock = startClock()
  const stage = await setStage(pool, history, clock.now())
  const shop = openShop(clock, stage.homeUrl)
  const owner = { pausedSince: null, flowOffSince: null, disconnectedSince: null } as Standing
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
    unsubscribed: new Map(),
    withdrawn: new Map(),
    justUnsubscribed: null,
    say: (news: Partial<Standing>) => Object.assign(owner, news),
  } as unknown as Theatre
  theatre.post = openPost(clock, observer(pool), (address) => ({
    ...owner,
    unsubscribedSince: theatre.unsubscribed.get(address) ?? null,
    withdrawnSince: theatre.withdrawn.get(address) ?? null,
  }))
  theatre.outside = { pool, clock, client: () => shop.client, take: theatre.post.take }
  theatre.web = aProcess(theatre.outside, crypto.randomUUID())
  theatre.workers = [await aWorker(theatre.outside), await aWorker(theatre.outside)]
  return theatre
}
