import { readdirSync, readFileSync } from 'node:fs'
import os from 'node:os'
import { afterAll, describe, expect, test } from 'vitest'
import { buildSampleContext } from './context.ts'
import { createRenders } from './render-queue.ts'

const program = new URL('../../../test/faulty-render-thread.ts', import.meta.url)
const renders = createRenders({ program, limitMs: 100 })
const real = createRenders()
afterAll(() => Promise.all([renders.close(), real.close()]))

const context = buildSampleContext()
const source = (body: string) => ({ id: body, version: 1, subject: '-', body, design: null })
const text = (body: string, queue: 'sending' | 'asking' = 'sending', accountId = 'a') =>
  renders.text({ queue, accountId }, source(body), context)
const tooSlow = expect.objectContaining({ code: 'too_slow' })

describe('an owner’s text', () => {
  test('that never ends is stopped, and queued jobs are rendered', async () => {
    const answers = await Promise.allSettled([text('one'), text('SPIN 1'), text('two'), text('three', 'sending', 'b')])
    expect(answers).toMatchObject([
      { status: 'fulfilled', value: 'one' },
      { status: 'rejected', reason: tooSlow },
      { status: 'fulfilled', value: 'two' },
      { status: 'fulfilled', value: 'three' },
    ])
  })

  test.each(['HOARD', 'CRASH'])('that kills its thread in another way (%s) kills nothing else', async (word) => {
    const answers = await Promise.allSettled([text(`${word} it`), text('four')])
    expect(answers).toMatchObject([{ reason: tooSlow }, { value: 'four' }])
  })

  test('is not retried for other messages with the same text', async () => {
    await expect(text('SPIN 2')).rejects.toEqual(tooSlow)
    const begun = performance.now()
    await Promise.all(Array.from({ length: 200 }, () => expect(text('SPIN 2')).rejects.toEqual(tooSlow)))
    expect(performance.now() - begun).toBeLessThan(10_000)
  })

  test('whose plan takes too long is rendered without a plan', async () => {
    const options = { storeHosts: [], tracked: () => '' }
    const who = { queue: 'sending' as const, accountId: 'a' }
    const mails = ['Ana', 'Bo', 'Cy'].map((customerName) =>
      renders.mail(who, source('PLANLESS'), buildSampleContext({ customerName }), options),
    )
    expect((await Promise.all(mails)).map(({ text }) => text.split('\n')[0])).toEqual(Array(3).fill('PLANLESS'))
    expect(renders.planFigures()).toMatchObject({ planned: 0, plans: 0 })
  })

  test('in a preview does not delay sending', async () => {
    // Starts the thread first, because a start takes seconds on a busy machine.
    await text('four')
    const stuck = expect(text('SPIN 3', 'asking')).rejects.toEqual(tooSlow)
    let isStuck = true
    void stuck.finally(() => (isStuck = false))
    expect([await text('five'), isStuck]).toEqual(['five', true])
    await stuck
  })

  test('waits for its account’s turn, not for another account’s whole queue', async () => {
    const order: string[] = []
    const of = (accountId: string, n: number) =>
      text(`${accountId}${n}`, 'asking', accountId).then((answer) => void order.push(answer))
    await Promise.all([...Array.from({ length: 40 }, (_, n) => of('many', n)), of('few', 0)])
    expect(order.indexOf('few0')).toBeLessThan(20)
    expect(order).toHaveLength(41)
  })

  test.runIf(process.platform === 'linux')(
    'in a preview runs at lower priority than this process’s other work',
    async () => {
      const looking = createRenders()
      await looking.text({ queue: 'asking', accountId: 'a' }, source('nine'), context)
      // A thread's name may contain spaces, so fields are counted after it.
      const stats = readdirSync('/proc/self/task').map((id) => readFileSync(`/proc/self/task/${id}/stat`, 'utf8'))
      const niceness = stats.map((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]))
      expect(niceness).toContain(os.getPriority() + 5)
      expect(niceness).toContain(os.getPriority())
      await looking.close()
    },
  )

  test('does not block the main thread', async () => {
    let ticks = 0
    const timer = setInterval(() => ticks++, 5)
    await expect(text('SPIN 4')).rejects.toEqual(tooSlow)
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(10)
  })
})

describe('the real threads', () => {
  const who = { queue: 'sending' as const, accountId: 'a' }

  test('render like the main thread, and name errors', async () => {
    expect(await real.text(who, source('Hi {{ customer_name }}'), context)).toBe('Hi Ana')
    await expect(real.text(who, source('{{ custmer }}'), context)).rejects.toEqual(
      expect.objectContaining({ code: 'unknown_variable', name: 'TemplateError' }),
    )
    expect(await real.check('a', { subject: 'S', body: '{{ cart_items }}' })).toBeNull()
    expect((await real.checkText('a', '{% nothing %}'))?.code).toBe('unknown_tag')
  })

  test('give every link of the shop its own URL, in order, for any number of links', async () => {
    const links = Array.from({ length: 100 }, (_, n) => `https://shop.example/${n}`)
    const options = { storeHosts: ['shop.example'], tracked: (n: number) => `https://app.example/c/${n}` }
    const mail = await real.mail(who, source(links.join('\n')), context, options)
    expect(mail.links).toEqual(links.map((url, n) => ({ url, trackedUrl: `https://app.example/c/${n}` })))
    expect(mail.html).toContain('href="https://app.example/c/99"')
  })

  test('make a plan of an owner’s template, with which the main thread renders its mails', async () => {
    const own = createRenders()
    const options = { storeHosts: ['shop.example'], tracked: (n: number) => `https://app.example/c/${n}` }
    const template = source('Hi {{ customer_name }}, see https://shop.example/sale.\n\n{{ cart_items }}')
    const context = (customerName: string) =>
      buildSampleContext({ customerName, checkoutLink: 'https://app.example/c/a1' })
    for (const name of ['Ana', 'Bo', 'Cy <3', 'Di']) {
      const looked = await own.mail({ queue: 'asking', accountId: 'a' }, template, context(name), options)
      expect(await own.mail(who, template, context(name), options)).toEqual(looked)
    }
    expect(own.planFigures()).toEqual({ planned: 2, rendered: 2, compared: 1, differed: 0, plans: 1 })
    await own.close()
  })
})
