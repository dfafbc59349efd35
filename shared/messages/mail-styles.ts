// The head's style sheet of a mail: wide screens, phones and dark mode. Everything else is inline. Pure.
import type { Ground, MailTheme } from './mail-theme.ts'

const styles = new WeakMap<MailTheme, string>()

export function findMailStyles(theme: MailTheme): string {
  const known = styles.get(theme) ?? buildMailStyles(theme)
  styles.set(theme, known)
  return known
}

function buildMailStyles(theme: MailTheme): string {
  const { padding, isCard, radius, isDarkByDay } = theme
  const corner = radius && radius + 8
  const wide = [
    `.s{padding:36px ${padding}px 20px !important}`,
    '.more{padding-top:0 !important}',
    `.top{padding:${theme.name === 'letter' ? `36px ${padding}px 0` : `28px ${padding}px`} !important}`,
    `.foot{padding:24px ${padding}px 0 !important}`,
    ...(isCard
      ? [
          '.outer{padding:32px 16px 40px !important}',
          `.begin{border-radius:${corner}px ${corner}px 0 0 !important}`,
          `.end{border-radius:0 0 ${corner}px ${corner}px !important}`,
          `.begin.end{border-radius:${corner}px !important}`,
        ]
      : []),
    '.cta{width:auto !important}',
    '.thumb{width:64px !important;height:64px !important}',
  ].join('')
  const narrow = `.top{padding-top:20px !important;padding-bottom:${theme.name === 'letter' ? 0 : 20}px !important}.h1{margin-bottom:14px !important}.h1{font-size:${theme.headingSizeSmall}px !important}.c{max-width:100% !important}.q{padding-left:0 !important;padding-right:0 !important}`
  return [
    `:root{color-scheme:${isDarkByDay ? 'dark' : 'light dark'};supported-color-schemes:${isDarkByDay ? 'dark' : 'light dark'}}`,
    'body{margin:0;padding:0;-webkit-text-size-adjust:100%}table{border-spacing:0}',
    '.h1,.h2{text-wrap:balance}p{text-wrap:pretty}',
    // Legacy texts have links without a colour of their own.
    ...(['card', 'soft', 'accent', 'ink'] as const).map(
      (name) => `.bg-${name} .w a{color:${theme.grounds[name].link}}`,
    ),
    `@media(min-width:481px){${wide}}@media(max-width:480px){${narrow}}`,
    // Outlook's apps rewrite colours themselves and mark the mail with data-ogsc.
    isDarkByDay ? '' : `@media(prefers-color-scheme:dark){${darkRules(theme, '')}}${darkRules(theme, '[data-ogsc] ')}`,
  ].join('')
}

function darkRules(theme: MailTheme, prefix: string): string {
  const { card, soft } = theme.darkGrounds
  const rule = (selectors: string, style: string) =>
    `${selectors
      .split(',')
      .map((each) => prefix + each)
      .join(',')}{${style}}`
  return [
    rule('.page', `background-color:${theme.darkPage} !important`),
    rule('.foot,.foot a', `color:${theme.darkPageMuted} !important`),
    rule('.top .n', `color:${card.text} !important`),
    rule('.logo', 'background-color:#ffffff !important;padding:10px 14px !important;border-radius:8px !important'),
    ...groundRules('.bg-card', card, rule),
    ...groundRules('.bg-soft', soft, rule),
  ].join('')
}

function groundRules(at: string, ground: Ground, rule: (selectors: string, style: string) => string): string[] {
  const { background, text, muted, line, link, soft, button, onButton, edge } = ground
  return [
    rule(at, `background-color:${background} !important;color:${text} !important`),
    rule(`${at} h1,${at} h2,${at} p,${at} strong,${at} .n`, `color:${text} !important`),
    rule(`${at} .m`, `color:${muted} !important`),
    rule(`${at} .l`, `border-color:${line} !important`),
    rule(`${at} .lt`, `border-color:${text} !important`),
    rule(`${at} .a,${at} .w a`, `color:${link} !important`),
    rule(`${at} .sf`, `background-color:${soft} !important`),
    rule(`${at} .cd`, `background-color:${soft} !important;border-color:${link} !important;color:${text} !important`),
    rule(`${at} .w a.n`, `color:${text} !important`),
    rule(`${at} .w a.m`, `color:${muted} !important`),
    rule(`${at} .b,${at} .w a.button`, `background-color:${button} !important;border-color:${edge} !important`),
    rule(`${at} .ba,${at} .w a.button`, `color:${onButton} !important`),
    rule(`${at} .bo`, `background-color:${background} !important;border-color:${text} !important`),
    rule(`${at} .boa`, `color:${text} !important`),
  ]
}
