import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectMarionette, type Marionette } from './marionette.ts'

// A real headless Firefox with a new profile and the given push service.

export interface ShownNotification {
  title: string
  text: string
}

export interface Firefox {
  version: string
  goto(url: string): Promise<void>
  url(): Promise<string>
  /** Runs in the page; returns the value of the body's `return`, or of its promise. */
  run<Value>(body: string, ...args: unknown[]): Promise<Value>
  /** Clicks with the pointer on a CSS selector, or on a button of the bar by its label. */
  press(selector: string): Promise<void>
  pressInBar(label: string): Promise<void>
  /** Waits for a button or link. */
  pressButton(label: string): Promise<void>
  type(selector: string, text: string): Promise<void>
  /** Answers the browser's permission prompt. */
  allowInPrompt(): Promise<void>
  /** Notifications on the screen, as the browser shows them. */
  shown(): Promise<ShownNotification[]>
  pressShown(): Promise<void>
  /** Revokes the permission, as in the page information. */
  revoke(origin: string): Promise<void>
  /** Switches to the window that was opened last. */
  newestWindow(): Promise<void>
  windows(): Promise<number>
  screenshot(): Promise<Buffer>
  close(): Promise<void>
}

const buildPrefs = (pushPort: number) => ({
  'dom.push.enabled': true,
  'dom.push.connection.enabled': true,
  'dom.push.alwaysConnect': true,
  'dom.push.serverURL': `ws://127.0.0.1:${pushPort}/`,
  'dom.push.testing.allowInsecureServerURL': true,
  // The browser draws them itself: a machine without a desktop has no notification service.
  'alerts.useSystemBackend': false,
  'dom.webnotifications.requireuserinteraction': true,
  'marionette.port': 0,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.update.disabledForTesting': true,
  'app.normandy.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'browser.safebrowsing.update.enabled': false,
  'extensions.update.enabled': false,
  'services.settings.server': 'http://127.0.0.1:1/',
  'security.notification_enable_delay': 0,
})

/** Reason for tests to skip themselves, as part of their title; empty if Firefox is installed. */
export const missingFirefox = process.env.FIREFOX_PATH
  ? ''
  : ' (left out: FIREFOX_PATH is not set; Debian: apt-get install firefox-esr)'

export async function openFirefox(pushPort: number): Promise<Firefox> {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'recoup-firefox-'))
  const prefs = Object.entries(buildPrefs(pushPort)).map(
    ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`,
  )
  writeFileSync(path.join(profile, 'user.js'), prefs.join('\n'))
  const args = ['--headless', '--no-remote', '--profile', profile, '--marionette', '--remote-allow-system-access']
  const env = { ...process.env, HOME: profile, MOZ_HEADLESS: '1', MOZ_CRASHREPORTER_DISABLE: '1' }
  const child = spawn(process.env.FIREFOX_PATH!, args, { env, stdio: 'ignore' })
  try {
    const marionette = await connectMarionette(await readPort(profile, child))
    const { capabilities } = await marionette.send<{ capabilities: { browserVersion: string } }>('WebDriver:NewSession')
    return drive(marionette, capabilities.browserVersion, () => end(child, marionette, profile))
  } catch (error) {
    await end(child, null, profile)
    throw error
  }
}

async function readPort(profile: string, child: ChildProcess): Promise<number> {
  const file = path.join(profile, 'MarionetteActivePort')
  for (let waitedMs = 0; waitedMs < 120_000; waitedMs += 200) {
    if (child.exitCode !== null) throw new Error(`Firefox ended with code ${child.exitCode}.`)
    const port = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
    if (port) return port
    await sleep(200)
  }
  throw new Error('Firefox did not start in two minutes.')
}

async function end(child: ChildProcess, marionette: Marionette | null, profile: string): Promise<void> {
  marionette?.close()
  const ended = child.exitCode === null ? new Promise((resolve) => child.once('exit', resolve)) : null
  child.kill('SIGKILL')
  await ended
  rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
type Element = Record<typeof ELEMENT, string>

function drive(marionette: Marionette, version: string, close: () => Promise<void>): Firefox {
  const { send } = marionette
  const run = async <Value>(body: string, ...args: unknown[]) => {
    const script = `const done = arguments[arguments.length - 1]; const args = Array.from(arguments).slice(0, -1);
      (async () => { ${body} })().then((value) => done({ value }), (error) => done({ error: String(error) }))`
    const request = { script, args, scriptTimeout: 30_000 }
    const { value } = await send<{ value: { value: Value; error?: string } }>('WebDriver:ExecuteAsyncScript', request)
    if (value.error) throw new Error(value.error)
    return value.value
  }
  const runInBrowser = async <Value>(body: string, ...args: unknown[]) => {
    await send('Marionette:SetContext', { value: 'chrome' })
    try {
      return await run<Value>(body, ...args)
    } finally {
      await send('Marionette:SetContext', { value: 'content' })
    }
  }
  const find = async (selector: string) =>
    (await send<{ value: Element }>('WebDriver:FindElement', { using: 'css selector', value: selector })).value[ELEMENT]
  const press = async (id: string) => void (await send('WebDriver:ElementClick', { id }))
  return {
    version,
    goto: async (url) => void (await send('WebDriver:Navigate', { url })),
    url: async () => (await send<{ value: string }>('WebDriver:GetCurrentURL')).value,
    run,
    press: async (selector) => press(await find(selector)),
    pressInBar: (label) => pressInBar(send, label, press),
    pressButton: (label) => pressButton(send, label, press),
    type: async (selector, text) => void (await send('WebDriver:ElementSendKeys', { id: await find(selector), text })),
    allowInPrompt: () => runInBrowser(ALLOW),
    shown: () => runInBrowser<ShownNotification[]>(SHOWN),
    pressShown: () => runInBrowser(PRESS_SHOWN),
    revoke: (origin) => runInBrowser(REVOKE, origin),
    newestWindow: async () => {
      const handles = await send<string[]>('WebDriver:GetWindowHandles')
      await send('WebDriver:SwitchToWindow', { handle: handles.at(-1), focus: true })
    },
    windows: async () => (await send<string[]>('WebDriver:GetWindowHandles')).length,
    screenshot: async () => {
      const taken = await send<{ value: string }>('WebDriver:TakeScreenshot', { full: false })
      return Buffer.from(taken.value, 'base64')
    },
    close,
  }
}

/** Parts of the bar are in a shadow tree. */
async function pressInBar(send: Marionette['send'], label: string, press: (id: string) => Promise<void>) {
  const script = `const bars = [...document.querySelectorAll('body > div')].filter((each) => each.shadowRoot);
    return bars.flatMap((bar) => [...bar.shadowRoot.querySelectorAll('button')]).find((each) => each.textContent === arguments[0])`
  const { value } = await send<{ value: Element }>('WebDriver:ExecuteScript', { script, args: [label] })
  await press(value[ELEMENT])
}

const LIMIT_MS = 60_000

async function pressButton(send: Marionette['send'], label: string, press: (id: string) => Promise<void>) {
  const script = `return [...document.querySelectorAll('a, button')].find((each) => each.textContent.trim().startsWith(arguments[0])
    && !each.disabled && each.getClientRects().length > 0) ?? null`
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; ) {
    const found = await send<{ value: Element | null }>('WebDriver:ExecuteScript', { script, args: [label] }).catch(
      () => null,
    )
    if (found?.value) return press(found.value[ELEMENT])
    await sleep(200)
  }
  throw new Error(`there is no “${label}” to press`)
}

const ALLOW = `const win = Services.wm.getMostRecentWindow('navigator:browser');
  for (let tries = 0; tries < 200; tries++) {
    const asked = win.PopupNotifications.getNotification('web-notifications', win.gBrowser.selectedBrowser);
    const shown = win.PopupNotifications.panel.firstElementChild;
    if (asked && shown) { shown.button.click(); return }
    await new Promise((resolve) => win.setTimeout(resolve, 50))
  }
  throw new Error('the browser has not asked')`

const SHOWN = `return [...Services.wm.getEnumerator('alert:alert')].map(({ document }) => ({
    title: document.getElementById('alertTitleLabel').textContent || document.getElementById('alertTitleLabel').value,
    text: document.getElementById('alertTextLabel').textContent || document.getElementById('alertTextLabel').value,
  }))`

const PRESS_SHOWN = `const [shown] = Services.wm.getEnumerator('alert:alert');
  if (!shown) throw new Error('no notification is shown');
  shown.document.getElementById('alertBox').click()`

const REVOKE = `const principal = Services.scriptSecurityManager.createContentPrincipalFromOrigin(args[0]);
  Services.perms.removeFromPrincipal(principal, 'desktop-notification')`
