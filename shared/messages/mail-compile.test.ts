import { describe, expect, test } from 'vitest'
import { buildSampleDocument, buildSampleValues, SAMPLE_COUPON } from '../../test/mail-documents.ts'
import { type BrandKit, contrastRatio, DEFAULT_BRAND, MIN_CONTRAST } from './brand.ts'
import { compile } from './mail-compile.ts'
import { backgroundNames, themeNames } from './mail-document.ts'
import { fill } from './mail-fill.ts'
import { buildMailTheme, type Ground, type MailBrandKit } from './mail-theme.ts'

const KIT: MailBrandKit = { ...DEFAULT_BRAND, logo: null }
const render = (theme: (typeof themeNames)[number], language = 'en-US', kit: Partial<MailBrandKit> = {}) =>
  fill(
    compile(buildSampleDocument(theme), { ...KIT, ...kit }, theme, language),
    buildSampleValues({ coupon: SAMPLE_COUPON }),
  ).html

test('the same document, kit, theme and language compile to the same chunks, which can be stored', () => {
  for (const theme of themeNames) {
    const mail = compile(buildSampleDocument(theme), KIT, theme, 'de-AT')
    expect(compile(buildSampleDocument(theme), KIT, theme, 'de-AT')).toEqual(mail)
    const values = buildSampleValues()
    expect(fill(JSON.parse(JSON.stringify(mail)), values)).toEqual(fill(mail, values))
  }
})

describe.each(themeNames)('the HTML of %s', (theme) => {
  const html = render(theme)

  test('has Outlook’s ghost table of 600 px, closed conditions and tables, and no background pictures', () => {
    expect(html).toContain(
      '<!--[if mso]><table role="presentation" cellpadding="0" cellspacing="0" border="0" width="600">',
    )
    expect(html.split('<!--[if mso]>').length).toBe(html.split('<![endif]-->').length)
    for (const tag of ['table', 'tr', 'td', 'div', 'p', 'a', 'h1']) {
      expect([tag, html.match(new RegExp(`<${tag}[ >]`, 'g'))?.length]).toEqual([
        tag,
        html.match(new RegExp(`</${tag}>`, 'g'))?.length,
      ])
    }
    expect(html).not.toMatch(/url\(|<script|position:|float:|flex|grid-/)
  })

  test('is dark in mail programs that ask, and in those that mark the mail', () => {
    expect(html).toContain('@media(prefers-color-scheme:dark)')
    expect(html).toContain('[data-ogsc] .bg-card{')
    expect(html).toContain('<meta name="color-scheme" content="light dark">')
  })

  test('has no fixed width beyond a phone', () => {
    const inline = html.replace(/<!--.*?-->/gs, '').replace(/<style>.*?<\/style>/gs, '')
    const widths = [...inline.matchAll(/[;"]width:(\d+)px(?!;max-width:100%)/g)].map(([, px]) => Number(px))
    expect(widths.filter((px) => px > 280)).toEqual([])
  })

  test('reads well with pictures off: each has words, or is beside words', () => {
    for (const [picture] of html.matchAll(/<img[^>]*>/g)) expect(picture).toMatch(/ alt="/)
    expect(html).toMatch(/<img class="first"[^>]* alt="Cup 1"/)
    expect(html).toContain('class="thumb sf"')
  })

  test('is mirrored in a language that is written from right to left', () => {
    const arabic = render(theme, 'ar')
    expect(arabic).toContain('<html lang="ar" dir="rtl"')
    const mirror = (text: string) => text.match(/text-align:left/g)?.length ?? 0
    expect(mirror(arabic)).toBe(html.match(/text-align:right/g)?.length)
    expect(arabic.match(/text-align:right/g)?.length).toBe(mirror(html))
    expect(arabic).toContain('padding:18px 0 20px 12px')
  })
})

test('the kit’s logo is shown at half its size at most and links to the cart', () => {
  const logo = { url: 'https://app.example/logo.png', width: 300, height: 90, alt: '' }
  expect(render('quiet', 'en-US', { logo })).toMatch(
    /<a href="https:\/\/app\.example\/c\/Ab9"[^>]*><img class="logo" src="https:\/\/app\.example\/logo\.png" alt="Harbour Goods" width="150" height="45"/,
  )
  expect(render('quiet', 'en-US', { logo: { ...logo, url: 'javascript:x' } })).not.toContain('<img class="logo"')
})

test('a German mail has German texts and keeps the owner’s words', () => {
  const html = render('letter', 'de-DE')
  for (const text of ['Gültig bis', 'Du sparst $8.00', 'Zum Shop', 'Abmelden', 'E-Mail-Einstellungen']) {
    expect(html).toContain(text)
  }
  expect(html).toContain('<html lang="de-DE" dir="ltr"')
  expect(html).toContain('>words</')
})

const kits: Partial<BrandKit>[] = [
  {},
  { ground: '#000000', text: '#ffffff', accent: '#ffff00', button: '#ffff00' },
  { ground: '#ffffff', text: '#777777', accent: '#ffff99', button: '#ffffff' },
  { ground: '#336699', text: '#ffffff', accent: '#ffffff', button: '#000000' },
  { ground: '#808080', text: '#808080', accent: '#808080', button: '#808080' },
]

test.each(kits)('text can be read on every background, light and dark, with any kit: %o', (changes) => {
  for (const name of themeNames) {
    const theme = buildMailTheme({ ...DEFAULT_BRAND, ...changes }, name)
    const check = (ground: Ground) => {
      for (const colour of [ground.text, ground.muted, ground.link]) {
        expect(contrastRatio(colour, ground.background)).toBeGreaterThanOrEqual(MIN_CONTRAST)
      }
      expect(contrastRatio(ground.onButton, ground.button)).toBeGreaterThanOrEqual(MIN_CONTRAST)
    }
    for (const background of backgroundNames) check(theme.grounds[background])
    check(theme.darkGrounds.card)
    check(theme.darkGrounds.soft)
    expect(contrastRatio(theme.pageMuted, theme.page)).toBeGreaterThanOrEqual(MIN_CONTRAST)
    expect(contrastRatio(theme.darkPageMuted, theme.darkPage)).toBeGreaterThanOrEqual(MIN_CONTRAST)
  }
})
