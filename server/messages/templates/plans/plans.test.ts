import crypto from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { buildGeneratedMail, type GeneratedMail, STORE_HOSTS } from '../../../../test/generated-mails.ts'
import { isFullRun, testSeed } from '../../../../test/seed.ts'
import { AppError } from '../../../core/common/errors.ts'
import { createCompiler } from '../compile.ts'
import { buildSampleContext, type TemplateContext, TemplateError, type TemplateSource } from '../context.ts'
import { type RenderedMessage, readLayout } from '../message.ts'
import { createTemplateRenderer } from '../render.ts'
import { makePlan } from './making.ts'
import type { Plan } from './plan.ts'
import { type Difference, type PlanLimits, RenderingPlans } from './plans.ts'
import { analyzeTemplate } from './words.ts'

const renderer = createTemplateRenderer()
const TEMPLATES = Number(process.env.PLAN_TEMPLATES ?? (isFullRun ? 5_000 : 100))

const trackedOf = (context: TemplateContext) => (n: number) =>
  `https://app.example/c/${context.checkoutLink.slice(-9).replace(/\W/g, '')}t${n}`

/** As the renderer does it, and no plan. */
function rendered(source: TemplateSource, context: TemplateContext): RenderedMessage {
  let links = 0
  const trackLink = (url: string) => (url === context.checkoutLink ? null : trackedOf(context)(links++))
  return renderer.render(source, context, { storeHosts: STORE_HOSTS, trackLink })
}

const catchRefusal = (of: () => RenderedMessage) => {
  try {
    return of()
  } catch (error) {
    return { refused: String(error) }
  }
}

type Changes = Partial<PlanLimits> & {
  changed?: (plan: Plan) => Plan
  renderer?: (source: TemplateSource, context: TemplateContext) => RenderedMessage
}

function createPlans({ changed = (plan) => plan, renderer: render = rendered, ...limits }: Changes = {}) {
  const plans = new RenderingPlans({ comparedEvery: Number.POSITIVE_INFINITY, ...limits })
  const differences: Difference[] = []
  const mail = (source: TemplateSource, context: TemplateContext) =>
    plans.render({
      source,
      context,
      storeHosts: STORE_HOSTS,
      tracked: trackedOf(context),
      render: async () => render(source, context),
      makePlan: async () => {
        const plan = renderer.plan({ source, context, storeHosts: STORE_HOSTS })
        return typeof plan === 'string' ? plan : changed(plan)
      },
      onDifference: (found) => differences.push(found),
    })
  return { plans, mail, differences }
}

let version = 0
const templateOf = (body: string, subject = 'Your cart') => ({
  id: 'template',
  version: ++version,
  subject,
  body,
  design: null,
})
const shopper = (customerName: string, changes: Partial<TemplateContext> = {}) =>
  buildSampleContext({ customerName, checkoutLink: 'https://app.example/c/Ab-_9', ...changes })

/** The third mail of a shape is the first that may be planned; it is compared. */
async function planned(its: ReturnType<typeof createPlans>, source: TemplateSource, context = shopper('Ana')) {
  for (let mails = 0; mails < 3; mails++) await its.mail(source, context)
  return source
}

const reasonOf = (source: TemplateSource, context = shopper('Ana')) => {
  const plan = renderer.plan({ source, context, storeHosts: STORE_HOSTS })
  return typeof plan === 'string' ? plan : null
}

test('a plan makes the same mail as the renderer, of generated templates for hostile shoppers', async () => {
  const total = { planned: 0, rendered: 0, templates: 0 }
  const check = async ({ subject, body, contexts }: GeneratedMail) => {
    const { plans, mail, differences } = createPlans()
    const source = { ...templateOf(body, subject), id: 'generated' }
    for (const context of contexts) {
      const made = await mail(source, context).catch((error: unknown) => ({ refused: String(error) }))
      expect(made).toEqual(catchRefusal(() => rendered(source, context)))
    }
    expect(differences).toEqual([])
    const figures = plans.figures()
    total.planned += figures.planned
    total.rendered += figures.rendered
    if (figures.planned > 0) total.templates += 1
  }
  await fc.assert(fc.asyncProperty(buildGeneratedMail(3, 6), check), { numRuns: TEMPLATES, seed: testSeed })
  if (process.env.PLAN_TEMPLATES) process.stdout.write(`${JSON.stringify(total)}\n`)
  // Half of them are of what is known to be harmless.
  expect(total.templates / TEMPLATES).toBeGreaterThan(0.3)
}, 900_000)

describe('a template is rendered without a plan if it uses a value as follows:', () => {
  test.each([
    ['filter', '{{ customer_name | upcase }}'],
    ['filter', '{{ cart_items | first }}'],
    ['filter', '{{ store_name | append: customer_name }}'],
    ['filter', '{{ customer_name | default: cart_total }}'],
    ['condition', "{% if customer_name == 'Ana' %}Hi{% endif %}"],
    ['condition', '{% if cart_total contains "$" %}Hi{% endif %}'],
    ['condition', '{% for item in cart_items %}{% if item.quantity > 1 %}Hi{% endif %}{% endfor %}'],
    ['condition', '{% if coupon_code == coupon_amount %}Hi{% endif %}'],
    ['condition', '{% if cart_items.size > cart_items[0].quantity %}Hi{% endif %}'],
    ['loop', '{% for item in customer_name %}{{ item }}{% endfor %}'],
    ['loop', '{% for customer_name in cart_items %}Hi{% endfor %}'],
    ['tag', '{% assign name = customer_name | upcase %}Hi'],
    ['tag', `{% if ${'coupon_code and '.repeat(30)}coupon_code %}Hi{% endif %}`],
    ['output', '{% for item in cart_items %}{{ item }}{% endfor %}'],
    ['output', '{{ item.name }}'],
    ['output', '{{ forloop.index }}'],
    ['output', "{{ customer_name | default: 'it\\'s' }}"],
  ])('%s: %s', (reason, body) => {
    expect(analyzeTemplate({ subject: '-', body })).toBe(reason)
    expect(reasonOf(templateOf(body))).toBe(reason)
    expect(analyzeTemplate({ subject: body, body: '-' })).toBe(reason)
  })

  test.each([
    ['place', '<p title="{{ customer_name }}">Hi</p>'],
    ['place', '<p title={{ customer_name }}>Hi</p>'],
    ['place', '<span {{ customer_name }}>Hi</span>'],
    ['place', '<p style="color:{{ customer_name }}">Hi</p>'],
    ['place', '<p>Hi<!-- {{ customer_name }} --></p>'],
    ['place', '<p>Hi</p><script>{{ customer_name }}</script>'],
    ['place', '<a href="https://shop.example/{{ coupon_code }}">Sale</a>'],
    ['place', '<a href="https://elsewhere.example/x">{{ customer_name }}</a>'],
    ['place', '<a href="mailto:ana">{{ customer_name }}</a>'],
    ['place', '<p>Hi <img src="{{ checkout_link }}"></p>'],
    ['place', '<p>Hi <img src="{{ customer_name }}"></p>'],
    ['place', '{{ checkout_link }}/more'],
    ['place', 'See https://shop.example/{{ customer_name }}'],
    ['place', 'See http{{ customer_name }}://shop.example'],
    ['place', 'Hi &{{ customer_name }};'],
    ['place', '<p>Hi &am{{ customer_name }};</p>'],
    ['refused', '{{ cart_total'],
    ['refused', '{% for item in cart_items %}'],
    ['refused', '   '],
  ])('%s: %s', (reason, body) => {
    expect(reasonOf(templateOf(/&|<|http/.test(body) ? `<b></b>${body}` : body))).toBe(reason)
  })

  test('place: for left-out content and a line about the shopper', () => {
    const source = templateOf('Hi.\n\n{{ customer_name }}, use {{ coupon_code }}')
    expect(reasonOf(source)).toBe(null)
    expect(reasonOf(source, shopper('Ana', { coupon: null }))).toBe('place')
  })

  test('slow: rendering takes its time', () => {
    const its = { source: templateOf('Hi {{ customer_name }}'), context: shopper('Ana'), storeHosts: STORE_HOSTS }
    expect(renderer.plan(its)).toHaveProperty('slots')
    expect(renderer.plan(its, -1)).toBe('slow')
  })

  test('unequal: a part of the renderer makes of a value what is not foreseen', () => {
    const compiler = createCompiler()
    const its = { source: templateOf('Hi {{ customer_name }}'), context: shopper('Ana'), storeHosts: STORE_HOSTS }
    const tools = { compiler, layout: readLayout(), toText: (html: string) => `${html}, ${html.length} characters` }
    expect(makePlan(tools, its)).toBe('unequal')
  })

  test('and that is remembered of the template, or of the shape', async () => {
    const its = createPlans()
    const upper = await planned(its, templateOf('Hi {{ customer_name | upcase }}'))
    const within = await planned(its, templateOf('<p title="{{ customer_name }}">Hi</p>'))
    const of = (source: TemplateSource) =>
      its.plans.reasonOf({ source, context: shopper('Bo'), storeHosts: STORE_HOSTS })
    expect([of(upper), of(within)]).toEqual(['filter', 'place'])
    expect(its.plans.figures()).toMatchObject({ planned: 0, rendered: 6, plans: 0 })
  })
})

describe('a single mail is rendered without the plan that does not fit it:', () => {
  const body = 'Hi {{ customer_name }},\n\nTotal: {{ cart_total }}\n\n{{ cart_items }}\n\n{{ checkout_link }}'

  test.each([
    ['an address in a name', shopper('https://evil.example/x')],
    ['a name that begins or ends as an address does', shopper('//evil.example')],
    ['blanks that would become one', shopper('Ana \u200b Bo')],
    ['a link that is not in its normal form', shopper('Ana', { checkoutLink: 'https://APP.example/c/Ab-_9' })],
    ['a link that is escaped', shopper('Ana', { unsubscribeLink: 'https://app.example/u?a=1&b=2' })],
    ['a cart without a total, the first of its shape', shopper('Ana', { cartTotal: '' })],
  ])('%s', async (_name, context) => {
    const its = createPlans()
    const source = await planned(its, templateOf(body))
    expect(await its.mail(source, context)).toEqual(rendered(source, context))
    expect(its.plans.figures()).toMatchObject({ planned: 1, rendered: 3 })
    await its.mail(source, shopper('Bo'))
    expect(its.plans.figures()).toMatchObject({ planned: 2, rendered: 3, differed: 0 })
  })

  test('one that is too large, says {{ or has no sender, which is refused', async () => {
    const its = createPlans()
    const large = await planned(its, templateOf('{{ coupon_code }}'.repeat(500)))
    const coupon = { ...buildSampleContext().coupon!, code: '"'.repeat(190) }
    await expect(its.mail(large, shopper('Ana', { coupon }))).rejects.toMatchObject({ code: 'too_large' })
    const brace = await planned(its, templateOf('<p>{<b></b>{{ customer_name }}</p>'))
    await expect(its.mail(brace, shopper('{x'))).rejects.toMatchObject({ code: 'leftover_placeholder' })
    await expect(its.mail(brace, shopper('Ana', { senderName: '' }))).rejects.toMatchObject({ code: 'sender_missing' })
    expect(its.plans.figures()).toMatchObject({ planned: 2, differed: 0, plans: 2 })
  })

  test('a draft, whose text may change', async () => {
    const its = createPlans()
    await planned(its, { ...templateOf(body), version: 0 })
    expect(its.plans.figures()).toMatchObject({ planned: 0, rendered: 3, plans: 0 })
  })

  test('words that were changed under a known version, and another shop or look', async () => {
    const its = createPlans()
    const source = await planned(its, templateOf(body))
    const other = { ...source, body: `${body}\n\nBye` }
    expect(await its.mail(other, shopper('Ana'))).toEqual(rendered(other, shopper('Ana')))
    await planned(its, source)
    for (const context of [shopper('Ana', { storeName: 'Another' }), shopper('Ana', { postalAddress: '2 Hill' })]) {
      expect(await its.mail(source, context)).toEqual(rendered(source, context))
    }
  })
})

describe('a placeholder of a value', () => {
  const drawn = Buffer.from('0123456789abcdef', 'hex')
  const sign = 'z0123456789abcdef'

  test.each([
    `${sign}0x`,
    `https://${sign}1x.invalid/c`,
    sign,
    `${sign}99x`,
  ])('as a shopper’s own name: %s', async (name) => {
    vi.spyOn(crypto, 'randomBytes').mockImplementation(() => drawn)
    const its = createPlans()
    const source = await planned(its, templateOf('Hi {{ customer_name }}, {{ cart_total }}', '{{ customer_name }}'))
    const context = shopper(name, { cartTotal: name, senderName: name })
    for (let mails = 0; mails < 4; mails++) expect(await its.mail(source, context)).toEqual(rendered(source, context))
    expect(its.differences).toEqual([])
  })

  test('in the owner’s own text prevents a plan', () => {
    vi.spyOn(crypto, 'randomBytes').mockImplementation(() => drawn)
    expect(reasonOf(templateOf(`Hi {{ customer_name }} ${sign}`))).toBe('place')
    expect(reasonOf(templateOf(`Hi {{ customer_name }}, see https://shop.example/${sign.toUpperCase()}1x`))).toBe(
      'place',
    )
  })
})

describe('a plan that is wrong', () => {
  const source = () => templateOf('Hi {{ customer_name }}')
  const others = (plan: Plan): Plan => ({
    ...plan,
    html: { ...plan.html, texts: plan.html.texts.map((text) => text.replace('Hi ', 'Ho ')) },
  })

  test('is found with its first mail, which is as the renderer says, and is never used again', async () => {
    const its = createPlans({ changed: others })
    const template = await planned(its, source())
    const { id, version: its_version } = template
    expect(its.differences).toEqual([{ templateId: id, version: its_version, parts: ['html'] }])
    for (let mails = 0; mails < 5; mails++) {
      expect(await its.mail(template, shopper('Bo'))).toEqual(rendered(template, shopper('Bo')))
    }
    expect(its.plans.figures()).toMatchObject({ planned: 1, compared: 1, differed: 1, plans: 0 })
    expect(its.plans.reasonOf({ source: template, context: shopper('Bo'), storeHosts: STORE_HOSTS })).toBe('differed')
    expect(its.differences).toHaveLength(1)
  })

  test('later is found by the next comparison, with all the template’s shapes', async () => {
    const made: Plan[] = []
    const keep = (plan: Plan) => {
      made.push(plan)
      return plan
    }
    const its = createPlans({ comparedEvery: 4, changed: keep })
    const template = await planned(its, source())
    await planned(its, template, shopper('Ana', { cartTotal: '' }))
    Object.assign(made[0]!, others(made[0]!))
    for (let mails = 0; mails < 3; mails++) expect((await its.mail(template, shopper('Bo'))).html).toContain('Ho ')
    expect((await its.mail(template, shopper('Bo'))).html).toContain('Hi Bo')
    expect(its.plans.figures()).toMatchObject({ differed: 1, plans: 0 })
  })

  test('makes a mail of what the renderer refuses: it is refused', async () => {
    let isRefused = false
    const its = createPlans({
      renderer(template, context) {
        if (isRefused) throw new TemplateError('too_large', 'Too large.')
        return rendered(template, context)
      },
    })
    const template = source()
    for (let mails = 0; mails < 2; mails++) await its.mail(template, shopper('Ana'))
    isRefused = true
    await expect(its.mail(template, shopper('Ana'))).rejects.toThrow('Too large.')
    expect(its.differences).toMatchObject([{ parts: [] }])
  })

  test('is not one that could not be compared', async () => {
    const problems = [new TemplateError('too_slow', 'Too slow.'), new AppError('unavailable', 'Not now.')]
    let mails = 0
    const its = createPlans({
      comparedEvery: 1,
      renderer(template, context) {
        const problem = ++mails > 2 ? problems.pop() : undefined
        if (problem) throw problem
        return rendered(template, context)
      },
    })
    const template = await planned(its, source())
    for (const name of ['Bo', 'Cy']) {
      expect(await its.mail(template, shopper(name))).toEqual(rendered(template, shopper(name)))
    }
    expect([problems, its.differences]).toEqual([[], []])
    expect(its.plans.figures()).toMatchObject({ planned: 3, compared: 3, differed: 0, plans: 1 })
  })

  test('a hundred times ends all planning', async () => {
    const its = createPlans({ changed: others })
    for (let templates = 0; templates < 100; templates++) await planned(its, source())
    const { planned: before } = its.plans.figures()
    await planned(its, templateOf('Bye {{ customer_name }}'))
    expect(its.plans.figures()).toMatchObject({ planned: before, differed: 100, plans: 0 })
  })
})

describe('the plans of a process', () => {
  test('are as many as its memory allows: who was not used for longest is forgotten, and made again', async () => {
    const its = createPlans({ maxShapes: 3, maxTemplates: 3 })
    const templates = Array.from({ length: 6 }, (_, n) => templateOf(`${n} {{ customer_name }}`))
    for (const template of [...templates, ...templates]) {
      await planned(its, template)
      await its.mail(templates[0]!, shopper('Bo'))
    }
    expect(its.plans.figures().plans).toBeLessThanOrEqual(3)
    expect(its.plans.figures().planned).toBeGreaterThan(12)
  })

  test('take so many characters together, and one that takes more is none', async () => {
    const its = createPlans({ maxCharacters: 30_000 })
    for (let n = 0; n < 20; n++) await planned(its, templateOf(`${n} {{ customer_name }}`))
    const { plans } = its.plans.figures()
    expect([plans > 1, plans < 10]).toEqual([true, true])
    const large = await planned(its, templateOf(`{{ customer_name }}${'x'.repeat(35_000)}`))
    expect(await its.mail(large, shopper('Bo'))).toEqual(rendered(large, shopper('Bo')))
  })

  test('are made once for many mails at the same time, and not for a mail that is alone', async () => {
    let made = 0
    const countMade = (plan: Plan) => {
      made += 1
      return plan
    }
    const its = createPlans({ changed: countMade })
    const template = templateOf('Hi {{ customer_name }}')
    await its.mail(template, shopper('Ana'))
    expect(made).toBe(0)
    const names = Array.from({ length: 50 }, (_, n) => `Ana ${n}`)
    const mails = await Promise.all(names.map((name) => its.mail(template, shopper(name))))
    expect(mails).toEqual(names.map((name) => rendered(template, shopper(name))))
    expect([made, its.plans.figures()]).toEqual([1, { planned: 49, rendered: 2, compared: 1, differed: 0, plans: 1 }])
  })

  test('are made later where nothing can be made just now', async () => {
    let failures = 2
    const keep = (plan: Plan) => {
      if (failures-- > 0) throw new AppError('unavailable', 'Not now.')
      return plan
    }
    const its = createPlans({ changed: keep })
    const template = await planned(its, templateOf('Hi {{ customer_name }}'))
    await planned(its, template)
    expect(its.plans.figures()).toMatchObject({ planned: 2, rendered: 4, plans: 1 })
  })

  test('wait for nothing that fails', async () => {
    let failures = 3
    const its = createPlans({
      renderer(template, context) {
        if (failures-- > 0) throw new TemplateError('too_slow', 'Too slow.')
        return rendered(template, context)
      },
    })
    const template = templateOf('Hi {{ customer_name }}')
    const mails = await Promise.allSettled(Array.from({ length: 9 }, () => its.mail(template, shopper('Ana'))))
    expect(mails.map(({ status }) => status).filter((status) => status === 'fulfilled')).toHaveLength(6)
  })
})
