import { type MailDocumentInput, showNames, themeNames, valueNames } from '../../../shared/messages/mail-document.ts'

// Generated documents for tests, as an editor writes them: neighboring texts differ in their marks.

export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

type Input = MailDocumentInput
type InputBlock = Input['bands'][number]['blocks'][number]
type InputRun = Extract<InputBlock, { type: 'text' }>['inlines'][number]
type InputLeaf = Extract<InputBlock, { type: 'columns' }>['columns'][0][number]

export function buildRandomMail(random: () => number): Input {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!
  const flag = () => random() < 0.5
  let ids = 0
  const id = () => `id${String(++ids).padStart(4, '0')}`
  const marks = () => (['bold', 'italic', 'underline'] as const).filter(flag)
  const align = () => pick(['start', 'center'] as const)
  const run = (at: number): InputRun => {
    const kind = pick(['text', 'value', 'break'] as const)
    if (kind === 'break') return { kind }
    if (kind === 'value') return { kind, name: pick(valueNames), ...(flag() && { fallback: 'there' }), marks: marks() }
    const link = flag() ? { href: pick(['cart', 'shop', 'https://shop.example/x', 'mailto:a@shop.example']) } : {}
    return { kind, text: pick([`text ${at}`, '{% raw %}', '<b>&amp;', 'Grüße 👋', ' ']), marks: marks(), ...link }
  }
  /** Without texts beside each other. */
  const runs = (most: number): InputRun[] => {
    const all = Array.from({ length: Math.floor(random() * most) }, (_, at) => run(at))
    return all.filter((each, at) => !(each.kind === 'text' && all[at - 1]?.kind === 'text'))
  }
  const points = () =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
      title: pick(['', '30 days']),
      text: pick(['', 'a']),
    }))
  const leaf = (): InputLeaf => {
    const base = { id: id(), show: pick(showNames) }
    const href = pick(['cart', 'shop', 'https://shop.example'])
    return pick<() => InputLeaf>([
      () => ({ ...base, type: 'heading', level: pick([1, 2] as const), align: align(), inlines: runs(6) }),
      () => ({
        ...base,
        type: 'text',
        size: pick(['body', 'lead', 'small', 'label'] as const),
        align: align(),
        inlines: runs(6),
      }),
      () => ({
        ...{ ...base, type: 'image', asset: `${'ab12'.repeat(8)}.png`, width: 800, height: 600, alt: 'A mug' },
        isDecorative: flag(),
        ...(flag() && { href }),
      }),
      () => ({
        ...{ ...base, type: 'items', layout: pick(['list', 'large', 'grid']), part: pick(['all', 'first', 'rest']) },
        ...{ max: 1 + Math.floor(random() * 12), hasPrices: flag(), hasQuantities: flag(), hasCoupon: flag() },
      }),
      () => ({
        ...{ ...base, type: 'totals', label: pick(['', 'Sum']), amount: pick(['cart_total', 'discounted_total']) },
        hasBefore: flag(),
      }),
      () => ({ ...base, type: 'coupon', inlines: runs(4), hasSaving: flag(), hasExpiry: flag() }),
      () => ({
        ...{ ...base, type: 'button', label: pick(['', 'Go']), href, isWide: flag() },
        ...{ style: pick(['solid', 'outline']), align: align() },
      }),
      () => ({ ...base, type: 'product', productId: '17', label: '' }),
      () => ({ ...base, type: 'trust', points: points() }),
      () => ({ ...base, type: 'divider' }),
      () => ({ ...base, type: 'spacer', size: pick([8, 16, 32, 48] as const) }),
      () => ({ ...base, type: 'social', align: align() }),
      () => ({ ...base, type: 'legacy_text', source: '<p>{{ customer_name }}</p>' }),
    ])()
  }
  const leaves = (least: number, most: number) =>
    Array.from({ length: least + Math.floor(random() * (most - least + 1)) }, leaf)
  const block = (): InputBlock =>
    random() < 0.1
      ? {
          ...{ id: id(), show: pick(showNames), type: 'columns', split: pick(['1-1', '1-2', '2-1']) },
          columns: [leaves(0, 3), leaves(0, 3)],
        }
      : leaf()
  return {
    version: 1,
    theme: pick(themeNames),
    subject: runs(4),
    preview: runs(4),
    bands: Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
      ...{ id: id(), background: pick(['card', 'soft', 'accent', 'ink'] as const), show: pick(showNames) },
      blocks: Array.from({ length: 1 + Math.floor(random() * 5) }, block),
    })),
    footer: { text: pick(['', 'Bye']), hasSocial: flag() },
  }
}
