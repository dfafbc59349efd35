import { readdirSync, readFileSync } from 'node:fs'
import os from 'node:os'
import { afterAll, describe, expect, test } from 'vitest'
import { buildSampleContext } from './context.ts'
import { openTemplate } from './open-template.ts'
import { createTemplateRenderer } from './render.ts'
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

  const links = { shopLink: 'https://shop.example/', assetsUrl: 'https://app.example/pictures' }
  const options = { storeHosts: ['shop.example'], trackLink: (url: string) => `https://app.example/c?${url}`, ...links }

  test('track every link of the shop in an owner’s Liquid, and leave no placeholder', async () => {
    const urls = Array.from({ length: 100 }, (_, n) => `https://shop.example/${n}?a=1&b=2`)
    const loop = `{% assign a = 1 %}<p>${urls.map((url) => `<a href="${url}">x</a>`).join('\n')}</p>`
    const mail = await real.mail(who, source(loop), context, options)
    expect(mail.links).toEqual(urls.map((url) => ({ url, trackedUrl: `https://app.example/c?${url}` })))
    expect(mail.html).toContain('href="https://app.example/c?https://shop.example/99?a=1&amp;b=2"')
    expect(mail.text).toContain('https://app.example/c?https://shop.example/99?a=1&b=2')
    expect(`${mail.html}${mail.text}`).not.toContain('.invalid')
  })

  test('render the same mail as one thread does', async () => {
    const renderer = createTemplateRenderer()
    const body = 'Hi {{ customer_name | upcase }}, see https://shop.example/sale.\n\n{{ cart_items }}'
    for (const subject of ['Hello', '{{ cart_items }}', '{{ coupon_code | upcase }} for you']) {
      const template = { ...source(body), id: subject, subject }
      for (const changes of [{}, { coupon: null }]) {
        const values = buildSampleContext(changes)
        expect(await real.mail(who, template, values, options)).toEqual(renderer.render(template, values, options))
      }
    }
    const none = await real.mail(
      who,
      { ...source(body), subject: '{{ coupon_code | upcase }}!' },
      { ...context, coupon: null },
      options,
    )
    expect([none.subject, none.leftOut.isSubject]).toEqual(['Your cart at Harbour Goods', true])
  })

  test('are not started for a mail without Liquid', async () => {
    const stuck = createRenders({ program: new URL('data:text/javascript,process.exit(1)') })
    const mail = await stuck.mail(who, source('Hi {{ customer_name }}\n\n{{ cart_items }}'), context, options)
    expect(mail.text).toMatch(/^Hi Ana\n/)
    expect(await stuck.check('a', { subject: 'S', body: '{{ cart_items }}' })).toBeNull()
    await stuck.close()
  })

  test('check a design with and without a discount', async () => {
    const design = openTemplate({ subject: 'S', body: 'Hi {{ customer_name | upcase }}' })
    expect(await real.check('a', { subject: '', body: '', design })).toBeNull()
    const bad = openTemplate({ subject: 'S', body: 'Hi {{ customer_name | shout }}' })
    expect((await real.check('a', { subject: '', body: '', design: bad }))?.code).toBe('unknown_filter')
    expect((await real.check('a', { subject: '', body: '', design: { ...design, subject: [] } }))?.code).toBe(
      'empty_subject',
    )
  })
})
