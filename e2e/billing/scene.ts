import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Role } from '../../shared/roles.ts'
import { type AppInstance, anAppInstance } from '../app-instance.ts'
import { keptPages, openBrowser } from '../browser.ts'
import { noCredits } from './answers.ts'

// A house with one account on Growth, without a store. What it is told of billing is made up by `answers.ts`.

export let instance: AppInstance
let browser: Browser
let token = ''
let me: object = {}
let keptPage: () => Promise<Page>

export async function begin(): Promise<void> {
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
  keptPage = keptPages(browser, idle(), DESK)
  const owner = { name: 'Olive Owner', email: 'olive@owners.example', password: 'four pots on Kiln Road' }
  token = (await ask<{ token: string }>('/api/auth/register', owner)).token
  await ask('/api/subscribe/manual-update', { planKey: 'growth' })
  const reply = await fetch(`${instance.url}/api/auth/me`, { headers: { authorization: `Bearer ${token}` } })
  me = ((await reply.json()) as { user: object }).user
}

export async function end(): Promise<void> {
  await browser?.close()
  await instance?.stop()
}

async function ask<T>(path: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const reply = await fetch(instance.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!reply.ok) throw new Error(`${path}: ${reply.status}`)
  return (await reply.json()) as T
}

/** These look at plans and may not choose one. */
export const asViewer = () => as('viewer')
export const asMember = () => as('member')
export const asDemo = () => as('owner', true)
const as = (role: Role, isDemo = false) => ({
  'auth/me': { user: { ...me, role, isDemo, isEmailConfirmed: true } },
})

/** `server`: as the server answers it. */
type Answer =
  | object
  | 'hangs'
  | 'server'
  | { status: number; error: string }
  | ((query: Record<string, string>) => object)
/** By the end of their address; with an error it is a refusal, of status 0 no answer at all. */
export type Answers = Record<string, Answer>

interface Sent {
  call: string
  method: string
  body: unknown
  query: Record<string, string>
}

/** A signed-in window in which these calls are answered so, and what it sent to them. */
export async function open(path: string, answers: Answers, options?: BrowserContextOptions) {
  const page = await aWindow(options)
  const sent: Sent[] = []
  const all = { 'subscribe/credits': noCredits, ...answers }
  for (const [call, answer] of Object.entries(all)) await answerSo(page, call, answer, sent)
  await page.goto(instance.url + path)
  return { page, sent, answer: (call: string, answer: Answer) => answerSo(page, call, answer, sent) }
}

const DESK = { viewport: { width: 1280, height: 900 } }
const idle = () => `${instance.url}/readyz`

/** Signed in, and on no screen yet. */
async function aWindow(options?: BrowserContextOptions): Promise<Page> {
  const page = options ? await (await browser.newContext({ ...DESK, ...options })).newPage() : await keptPage()
  if (options) await page.goto(idle())
  await page.evaluate((value) => localStorage.setItem('token', value), token)
  return page
}

async function answerSo(page: Page, call: string, answer: Answer, sent: Sent[]) {
  const address = new RegExp(`/api/${call.replace(/[.*+?^$()|[\]\\]/g, '\\$&')}(\\?.*)?$`)
  await page.unroute(address)
  if (answer === 'server') return
  await page.route(address, (route) => {
    const request = route.request()
    const query = Object.fromEntries(new URL(request.url()).searchParams)
    sent.push({ call, method: request.method(), body: request.postDataJSON() as unknown, query })
    if (answer === 'hangs') return undefined
    if ('error' in answer) {
      const { status, error } = answer as { status: number; error: string }
      return status === 0 ? route.abort() : route.fulfill({ status, json: { error, code: 'invalid' } })
    }
    return route.fulfill({ json: typeof answer === 'function' ? answer(query) : answer })
  })
}
