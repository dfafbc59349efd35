import { explainRefusal, hasPermission } from '../../../shared/access/roles.ts'
import { normalizeShopUrl } from '../../../shared/access/store-problems.ts'
import { DEFAULT_PLATFORM } from '../../../shared/platforms/platforms.ts'
import { pluginTexts } from '../../../shared/platforms/plugin-texts.ts'
import type { PluginProblem } from '../../../shared/workspace/plugin.ts'
import { readInput } from '../../access/http/public.ts'
import { limits, type Session } from '../../access/members/public.ts'
import { reachJob, saveSecret } from '../../access/plugin/public.ts'
import { listDemoStoreUrls } from '../../access/stores/public.ts'
import { AppError, createToken } from '../../core/common/public.ts'
import { type AccountDb, type Db, findPluginCode, isProvenElsewhere, takePoint } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { findPluginProtocol } from '../../platforms/registry/public.ts'
import { assertConnectable, saveConnection } from '../store-settings/public.ts'
import { ProtocolError } from './caller.ts'
import { readSettings } from './settings.ts'

import { Connect, Invitation } from './wire.ts'

// Connects a shop by its plugin without anyone handling keys (decision 103). The owner confirms here, the browser
// carries a code to WordPress, and the plugin exchanges it server to server.

const CODE_MS = 10 * 60_000

interface ParsedInvitation {
  homeUrl: string
  name: string
  state: string
  back: URL
}

/** X1: the return address must belong to the shop of the invitation. */
function readInvitation(connect: string): ParsedInvitation {
  const refuse = (message: string = pluginTexts.invalid) => new AppError('invalid', message)
  let raw: unknown
  try {
    raw = JSON.parse(Buffer.from(connect, 'base64url').toString('utf8'))
  } catch (error) {
    throw new AppError('invalid', pluginTexts.invalid, { cause: error })
  }
  const { data } = Invitation.safeParse(raw)
  const back = URL.parse(data?.return ?? '')
  if (!data || !back || !isWeb(data.home) || !isWeb(data.return)) throw refuse()
  const home = normalizeShopUrl(DEFAULT_PLATFORM, data.home)
  if (!home.ok) throw refuse()
  if (back.host !== new URL(home.storeUrl).host) throw refuse(pluginTexts.otherHost)
  return { homeUrl: home.storeUrl, name: data.name, state: data.state, back }
}

function isWeb(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password
}

function returnUrl(
  { back, state }: ParsedInvitation,
  result: { code: string } | { error: PluginProblem | 'cancelled' },
): string {
  const url = new URL(back)
  url.searchParams.set('recoup_state', state)
  if ('code' in result) url.searchParams.set('recoup_code', result.code)
  else url.searchParams.set('recoup_error', result.error)
  return url.href
}

/** The details that the owner confirms. */
export async function reviewInvitation(deps: Pick<Deps, 'db' | 'demo' | 'now'>, session: Session, connect: string) {
  const invited = readInvitation(connect)
  const account = { accountId: session.accountId, db: deps.db as Db }
  const problem = hasPermission(session.role, 'stores:connect')
    ? await findProblem(deps, account, invited.homeUrl)
    : { code: 'no_right' as const, message: explainRefusal(session.role) }
  return {
    homeUrl: invited.homeUrl,
    name: invited.name,
    account: await accountName(deps.db, session.accountId),
    problem: problem && { ...problem, backUrl: returnUrl(invited, { error: problem.code }) },
    cancelUrl: returnUrl(invited, { error: 'cancelled' }),
  }
}

async function findProblem(
  deps: Pick<Deps, 'db' | 'demo' | 'now'>,
  account: AccountDb<Db>,
  homeUrl: string,
): Promise<{ code: PluginProblem; message: string } | null> {
  if (await isProvenElsewhere(deps.db, homeUrl, account.accountId)) {
    return { code: 'other_account', message: pluginTexts.otherAccount }
  }
  try {
    await assertConnectable(deps, account, homeUrl)
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { code: error.code === 'plan_required' ? 'no_room' : 'no_right', message: error.message }
  }
}

/** Returns the address back to WordPress, with a code that works once, for this shop and account. */
export async function confirmInvitation(
  deps: Pick<Deps, 'db' | 'demo' | 'now' | 'pool' | 'secrets'>,
  session: Session,
  connect: string,
): Promise<string> {
  const invited = readInvitation(connect)
  const account = { accountId: session.accountId, db: deps.db as Db }
  await takePoint(deps, limits.connectPerAccount, session.accountId)
  const problem = await findProblem(deps, account, invited.homeUrl)
  if (problem) throw new AppError(problem.code === 'no_room' ? 'plan_required' : 'conflict', problem.message)
  const [id, key, now] = [createToken(), createToken(), deps.now()]
  await insertCode(account, {
    id,
    user_id: session.userId,
    session_id: session.sessionId,
    encrypted_key: deps.secrets.seal(key, sealContext(session.accountId, id)),
    home_url: invited.homeUrl,
    created_at: now,
    expires_at: new Date(now.getTime() + CODE_MS),
  })
  return returnUrl(invited, { code: `${id}.${key}` })
}

const sealContext = (accountId: string, id: string) => `plugin-code:${accountId}:${id}`

type Code = NonNullable<Awaited<ReturnType<typeof findPluginCode>>>

/** null: unknown code. */
export async function findCode(
  deps: Pick<Deps, 'db' | 'secrets'>,
  id: string,
): Promise<{ code: Code; key: string } | null> {
  const code = await findPluginCode(deps.db, id)
  return code ? { code, key: deps.secrets.open(code.encrypted_key, sealContext(code.account_id, id)) } : null
}

const expiredError = () =>
  new ProtocolError(
    404,
    'code_expired',
    'The code is unknown, already used or older than 10 minutes. Press Connect again.',
  )

/** The plugin's part, signed with the code's key. */
export async function exchangeCode(deps: Deps, { code, key }: { code: Code; key: string }, body: unknown) {
  const input = readInput(Connect, body)
  if (!code.role || !hasPermission(code.role, 'stores:connect')) throw expiredError()
  const account = { accountId: code.account_id, db: deps.db as Db }
  if (!(await claimCode(account, code.id, deps.now()))) throw expiredError()
  try {
    return await connectFromProfile(deps, account, { code, key, input })
  } catch (error) {
    if (!(error instanceof ProtocolError) && !(error instanceof AppError)) await releaseCode(account, code.id)
    throw error
  }
}

async function connectFromProfile(
  deps: Deps,
  account: AccountDb<Db>,
  { code, key, input }: { code: Code; key: string; input: ReturnType<typeof Connect.parse> },
) {
  const home = normalizeShopUrl(DEFAULT_PLATFORM, input.home)
  if (!home.ok || home.storeUrl !== code.home_url) {
    throw new ProtocolError(422, 'other_shop', 'The calling shop is not the confirmed shop. Press Connect again.')
  }
  const problem = await findProblem(deps, account, home.storeUrl)
  if (problem?.code === 'other_account') throw new ProtocolError(409, 'other_account', problem.message)
  if (problem) throw new ProtocolError(403, 'no_room', problem.message)
  const plugin = findPluginProtocol(DEFAULT_PLATFORM)
  const profile = plugin.profile({ ...input, home: home.storeUrl })
  if (!profile)
    throw new AppError(
      'invalid',
      'The shop did not report its currency. Set it in WooCommerce, then press Connect again.',
    )
  const { keys, secret } = plugin.derivedKeys(key, input.salt)
  const isDemoStore = listDemoStoreUrls(deps.demo).includes(home.storeUrl)
  const checked = { platform: DEFAULT_PLATFORM, storeUrl: home.storeUrl, keys, profile, isDemoStore, isProven: false }
  const store = await saveConnection(
    deps,
    { accountId: code.account_id, sessionId: code.session_id },
    checked,
    async (tx) => {
      await saveSecret(deps, tx, { secret, install: input.install, version: input.plugin })
      // Runs after the answer: a shop with a single process cannot answer while it waits for us.
      await deps.jobs.enqueue(tx.db, reachJob, { storeId: tx.storeId }, tx.storeId)
    },
  )
  deps.log.info({ storeId: store.id, plugin: input.plugin }, 'plugin.connected')
  const inside = { storeId: store.id, accountId: code.account_id, db: deps.db as Db }
  return { store: store.id, account: code.account_name, settings: await readSettings(deps, inside) }
}

function insertCode(
  { db, accountId }: AccountDb,
  code: {
    id: string
    user_id: string
    session_id: string
    encrypted_key: Buffer
    home_url: string
    created_at: Date
    expires_at: Date
  },
) {
  return db
    .insertInto('plugin_codes')
    .values({ account_id: accountId, ...code })
    .execute()
}

/** Whether it was still unused. */
async function claimCode({ db, accountId }: AccountDb, id: string, now: Date): Promise<boolean> {
  const row = await db
    .updateTable('plugin_codes')
    .set({ used_at: now })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Frees the code after an error of ours, so that the plugin can retry. */
async function releaseCode({ db, accountId }: AccountDb, id: string): Promise<void> {
  await db
    .updateTable('plugin_codes')
    .set({ used_at: null })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

async function accountName(db: Db, accountId: string): Promise<string> {
  const row = await db.selectFrom('accounts').select('name').where('id', '=', accountId).executeTakeFirst()
  return row?.name ?? ''
}
