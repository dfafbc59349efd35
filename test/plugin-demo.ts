import { type DemoStore, startDemoStore } from '../providers/woocommerce/store.ts'
import { type GuardedHttp, openGuardedHttp } from '../server/core/net/guarded-fetch.ts'
import { createWooCommerceClient } from '../server/platforms/woocommerce/platform.ts'
import { type Owner, registerOwner } from './connected-store.ts'
import type { World } from './world.ts'

// Test support: a demo store whose plugin has connected to a Recoup server over HTTP.

export interface PluginDemo {
  demo: DemoStore
  owner: Owner
  recoup: string
  storeId: string
  stop: () => Promise<void>
}

export async function openPluginDemo(world: World): Promise<PluginDemo> {
  const demo = await startDemoStore({ port: 0, dataFile: ':memory:', now: () => world.now.getTime() })
  const guarded: GuardedHttp = openGuardedHttp({ allowPrivate: true, totalTimeoutMs: 5_000 })
  world.storeClient = (access) =>
    createWooCommerceClient(access, { fetch: guarded.fetch, now: () => world.now, pauseMs: 0 })
  const recoup = await world.app.listen({ port: 0, host: '127.0.0.1' })
  const owner = await registerOwner(world)
  const body = { connect: demo.plugin.invitation() }
  const confirmed = await world.request('POST', '/api/stores/plugin/confirm', { token: owner.token, body })
  const code = new URL(confirmed.body.url).searchParams.get('recoup_code')!
  const reply = await demo.plugin.connect(recoup, code)
  if (reply.status !== 200) throw new Error(`The demo store could not be connected: ${JSON.stringify(reply)}`)
  const stop = async () => {
    await guarded.close()
    await demo.stop()
  }
  return { demo, owner, recoup, storeId: String(reply.body.store), stop }
}
