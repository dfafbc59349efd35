import pg from 'pg'
import { type AppInstance, startAppInstance, waitUntil } from '../e2e/app-instance.ts'
import { type Autopush, openAutopush } from '../providers/contracts/autopush.ts'
import { openPushService, type PushService } from '../providers/contracts/push/server.ts'

// The demo with web push switched on, and the push service of its browsers: its strict side for servers, and the side
// that Firefox connects to.

export interface PushDemo {
  instance: AppInstance
  service: PushService
  /** Settings with which a browser is started. */
  browsers: Autopush
  api<T>(method: string, path: string, body?: object): Promise<T>
  /** The demo's minute, for the newest cart: backdates its abandonment. */
  minutePasses(): Promise<void>
  stop(): Promise<void>
}

export async function openPushDemo(): Promise<PushDemo> {
  const instance = await startAppInstance({ DEMO_DAYS: '30' })
  const service = await openPushService()
  const browsers: Autopush = await openAutopush({
    register: (key) => {
      const endpoint: string = service.registerBrowser(key, (message) => browsers.deliver(endpoint, message))
      return endpoint
    },
    end: service.end,
  })
  const token = await signIn(instance)
  await waitUntilHosted(instance, token)
  await moveQuietHours(instance)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return {
    instance,
    service,
    browsers,
    api: async (method, path, body) =>
      read(await fetch(instance.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })),
    minutePasses: () => passMinute(instance),
    async stop() {
      await browsers.close()
      await service.close()
      await instance.stop()
    },
  }
}

/** The demo's account is created after the server starts to reply. */
async function signIn(instance: AppInstance): Promise<string> {
  let token = ''
  await waitUntil(async () => {
    const reply = await fetch(`${instance.url}/api/auth/demo`, { method: 'POST' })
    if (reply.ok) token = ((await reply.json()) as { token: string }).token
    return reply.ok
  }, 120_000)
  return token
}

/** Its store is connected later, and then has its key and the widget. */
async function waitUntilHosted(instance: AppInstance, token: string): Promise<void> {
  const address = `${instance.url}/api/push-notifications/vapid-key`
  await waitUntil(async () => {
    const reply = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
    const hasKey = reply.ok && ((await reply.json()) as { publicKey: string | null }).publicKey !== null
    return hasKey && (await (await fetch(`${instance.storeUrl}/shop/`)).text()).includes('/push/')
  }, 120_000)
}

async function read<T>(reply: Response): Promise<T> {
  if (!reply.ok) throw new Error(`${reply.url}: ${reply.status} ${await reply.text()}`)
  return reply.json() as Promise<T>
}

/** Moves quiet hours of the demo store to one minute, half an hour away. */
async function moveQuietHours(instance: AppInstance): Promise<void> {
  const client = new pg.Client(instance.databaseUrl())
  await client.connect()
  const quiet = (new Date().getUTCMinutes() + 30) % 60
  await client.query('update stores set quiet_from_minute = $1, quiet_until_minute = $2', [quiet, quiet + 1])
  await client.end()
}

async function passMinute(instance: AppInstance): Promise<void> {
  const client = new pg.Client(instance.databaseUrl())
  await client.connect()
  const shift = `with newest as (select store_id, id from carts where status = 'active' order by started_at desc limit 1),
    left_behind as (
      update carts c set started_at = started_at - interval '1 minute', last_activity_at = last_activity_at - interval '1 minute',
        abandon_at = abandon_at - interval '1 minute'
      from newest n where c.store_id = n.store_id and c.id = n.id returning c.store_id, c.shopper_id),
    switched as (update flows f set takes_from = f.takes_from - interval '1 minute' from left_behind l where f.store_id = l.store_id)
    update facts f set at = f.at - interval '1 minute' from left_behind l where f.store_id = l.store_id and f.shopper_id = l.shopper_id`
  await waitUntil(async () => (await client.query(shift)).rowCount! > 0, 60_000)
  await client.end()
}
