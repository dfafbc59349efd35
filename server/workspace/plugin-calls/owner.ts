import { randomBytes } from 'node:crypto'
import { pluginTexts } from '../../../shared/platforms/plugin-texts.ts'
import type { PluginView } from '../../../shared/workspace/plugin.ts'
import { changePlugin, explainReach, isAlive, queueWake, readPlugin } from '../../access/plugin/public.ts'
import { readPushOnlyPlugin } from '../../carts/sync/public.ts'
import { AppError } from '../../core/common/public.ts'
import { type Db, type Limit, type StoreDb, takePoint } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { isNewer, offeredUpdate } from './zip.ts'

// The plugin's view for the store's team.

/** The first plugin version with consent boxes in several languages. */
const LANGUAGES_SINCE = '0.2.0'

const TESTS: Limit = { name: 'plugin-test', points: 10, windowS: 600 }

export async function viewPlugin(deps: Pick<Deps, 'config' | 'now'>, store: StoreDb<Db>): Promise<PluginView | null> {
  const plugin = await readPlugin(store)
  if (!plugin || plugin.ended_at) return null
  const isCutOff = (await readPushOnlyPlugin(store)) !== null
  return {
    version: plugin.version,
    newerVersion: (await offeredUpdate(deps.config.publicUrl, plugin.version))?.version ?? null,
    connectedAt: plugin.connected_at.toISOString(),
    calledAt: plugin.called_at?.toISOString() ?? null,
    cartAt: plugin.cart_at?.toISOString() ?? null,
    isAlive: isAlive(plugin, deps.now()),
    isReached: isCutOff ? false : plugin.is_reached,
    isOutdated: isCutOff && plugin.reports_goods === false,
    showsLanguages: !isNewer(LANGUAGES_SINCE, plugin.version),
    reason: isCutOff ? explainReach(plugin) : null,
    test: {
      isWaiting: plugin.test_asked !== null && plugin.test_asked !== plugin.test_seen,
      seenAt: plugin.test_seen_at?.toISOString() ?? null,
    },
  }
}

/** Requests a test with the next heartbeat, which a wake-up triggers at once. */
export async function requestTest(deps: Pick<Deps, 'jobs' | 'pool' | 'secrets'>, store: StoreDb<Db>): Promise<string> {
  const plugin = await readPlugin(store)
  if (!plugin || plugin.ended_at) throw new AppError('conflict', pluginTexts.noPlugin)
  await takePoint(deps, TESTS, store.storeId)
  await changePlugin(store, { test_asked: randomBytes(16).toString('hex') })
  await queueWake(deps, store, 'test')
  return (await readPushOnlyPlugin(store)) ? pluginTexts.testAwaited : pluginTexts.testAsked
}
