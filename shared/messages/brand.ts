import { z } from 'zod'
import { getLanguagePart } from '../core/locale.ts'
import { findOneLineProblem } from '../core/one-line.ts'

// The brand kit of a store, which styles its mails, with validation for form and server. Pure.

/** WCAG 2.2 AA, for text of normal size. */
export const MIN_CONTRAST = 4.5

/** Mails use only fonts installed on the reader's device. */
export const fontStacks = {
  system: { name: 'System', css: "-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif" },
  arial: { name: 'Arial', css: 'Arial,Helvetica,sans-serif' },
  verdana: { name: 'Verdana', css: 'Verdana,Geneva,sans-serif' },
  trebuchet: { name: 'Trebuchet', css: "'Trebuchet MS','Lucida Grande',Tahoma,sans-serif" },
  georgia: { name: 'Georgia', css: "Georgia,'Times New Roman',serif" },
  times: { name: 'Times', css: "'Times New Roman',Times,serif" },
  courier: { name: 'Courier', css: "'Courier New',Courier,monospace" },
} as const
export type FontStack = keyof typeof fontStacks
export const fontStackNames = Object.keys(fontStacks) as FontStack[]

/**
 * The promise is written once, in the store's language, so a mail in another one leaves it out. null: the mail follows
 * the store, or the store's language is unknown.
 */
export const isPromiseReadable = (mail: string | null, store: string | null): boolean =>
  mail === null || store === null || getLanguagePart(store) === mail

/** Allowed hosts per kind of link, including their subdomains. */
export const socialKinds = {
  instagram: { name: 'Instagram', hosts: ['instagram.com'] },
  facebook: { name: 'Facebook', hosts: ['facebook.com', 'fb.com'] },
  tiktok: { name: 'TikTok', hosts: ['tiktok.com'] },
  youtube: { name: 'YouTube', hosts: ['youtube.com', 'youtu.be'] },
  pinterest: { name: 'Pinterest', hosts: ['pinterest.com', 'pin.it'] },
  x: { name: 'X', hosts: ['x.com', 'twitter.com'] },
  linkedin: { name: 'LinkedIn', hosts: ['linkedin.com'] },
  threads: { name: 'Threads', hosts: ['threads.net', 'threads.com'] },
} as const satisfies Record<string, { name: string; hosts: readonly string[] }>
export type SocialKind = keyof typeof socialKinds
export const socialKindNames = Object.keys(socialKinds) as SocialKind[]

export const brandLimits = { radius: 24, footerWords: 300, promise: 160, logoAlt: 120, socialUrl: 200 } as const

export const colourNames = ['button', 'text', 'ground', 'accent'] as const
export type ColourName = (typeof colourNames)[number]

/** The settings an owner edits. */
export interface BrandFields {
  /** Button colour; its label's colour is `chooseLabelColour(button)`. */
  button: string
  /** Text colour. */
  text: string
  /** Background colour. */
  ground: string
  /** Colour of links and lines. */
  accent: string
  fontStack: FontStack
  /** Corner radius in px. */
  radius: number
  /** At most one of each kind, in display order. */
  social: { kind: SocialKind; url: string }[]
  /** Shown above the postal address; '' for none. */
  footerWords: string
  /** One line on shipping and returns; '' for none. */
  promise: string
  /** Alternative text of the logo; '' is the store's name. */
  logoAlt: string
}

const lineNames = ['footerWords', 'promise', 'logoAlt'] as const
type LineName = (typeof lineNames)[number]

export interface BrandLogo {
  /** Path on this server. A path always has the same picture. */
  path: string
  /** Of the file, in px; mails show it smaller. */
  width: number
  height: number
  /** '' is the store's name. */
  alt: string
}

export interface BrandKit extends Omit<BrandFields, 'logoAlt'> {
  logo: BrandLogo | null
}

export const DEFAULT_BRAND_FIELDS: BrandFields = {
  button: '#1d4ed8',
  text: '#17202b',
  ground: '#ffffff',
  accent: '#1d4ed8',
  fontStack: 'system',
  radius: 8,
  social: [],
  footerWords: '',
  promise: '',
  logoAlt: '',
}

/** For a store without a brand kit: its name replaces the logo. */
export const DEFAULT_BRAND: BrandKit = { ...removeLogoAlt(DEFAULT_BRAND_FIELDS), logo: null }

export function removeLogoAlt({ logoAlt: _, ...fields }: BrandFields): Omit<BrandFields, 'logoAlt'> {
  return fields
}

const refine =
  <Value>(problemOf: (value: Value) => string | null) =>
  (value: Value, context: z.RefinementCtx) => {
    const message = problemOf(value)
    if (message) context.addIssue({ code: 'custom', message })
  }

const Colour = z.string().max(20).trim().toLowerCase().superRefine(refine(findColourProblem))

const createLine = (name: LineName) =>
  z
    .string()
    .trim()
    .superRefine(refine((text: string) => findLineProblem(name, text)))

const Social = z
  .object({ kind: z.enum(socialKindNames), url: z.string().trim() })
  .superRefine(({ kind, url }, context) => {
    const message = findSocialProblem(kind, url)
    if (message) context.addIssue({ code: 'custom', path: ['url'], message })
  })

/** Validation of the parts of a look. */
export const BrandFieldsSchema = z.object({
  button: Colour,
  text: Colour,
  ground: Colour,
  accent: Colour,
  fontStack: z.enum(fontStackNames),
  radius: z.number().superRefine(refine(findRadiusProblem)),
  social: z
    .array(Social)
    .max(socialKindNames.length)
    .refine((links) => new Set(links.map(({ kind }) => kind)).size === links.length, 'One link of each kind'),
  footerWords: createLine('footerWords'),
  promise: createLine('promise'),
  logoAlt: createLine('logoAlt'),
})

/** Rejects a look with unreadable text. */
export function requireContrast(fields: Pick<BrandFields, ColourName>, context: z.RefinementCtx): void {
  for (const [name, message] of Object.entries(contrastProblems(fields))) {
    context.addIssue({ code: 'custom', path: [name], message })
  }
}

/** Error messages by field; for a social link, the field is `social.0.url`. */
export function findBrandProblems(fields: BrandFields): Record<string, string> {
  const checks = [
    ...colourNames.map((name) => [name, findColourProblem(fields[name])]),
    ['radius', findRadiusProblem(fields.radius)],
    ...lineNames.map((name) => [name, findLineProblem(name, fields[name])]),
    ...fields.social.map(({ kind, url }, index) => [`social.${index}.url`, findSocialProblem(kind, url)]),
  ].filter((each): each is [string, string] => each[1] !== null)
  const problems = Object.fromEntries(checks)
  const isColoured = colourNames.every((name) => !problems[name])
  return isColoured ? { ...contrastProblems(fields), ...problems } : problems
}

function findColourProblem(colour: string): string | null {
  return /^#[0-9a-f]{6}$/i.test(colour.trim()) ? null : 'A color such as #1d4ed8'
}

function findRadiusProblem(radius: number): string | null {
  const isRight = Number.isInteger(radius) && radius >= 0 && radius <= brandLimits.radius
  return isRight ? null : `A whole number from 0 to ${brandLimits.radius}`
}

function findLineProblem(name: LineName, text: string): string | null {
  if (text.trim().length > brandLimits[name]) return `At most ${brandLimits[name]} characters`
  return findOneLineProblem(text.trim())
}

/** Contrast warnings, by the field that shows them. */
export function contrastProblems(
  fields: Pick<BrandFields, 'text' | 'ground' | 'accent'>,
): Partial<Record<ColourName, string>> {
  const describeContrast = (name: string, colour: string) => {
    const ratio = contrastRatio(colour, fields.ground)
    return ratio < MIN_CONTRAST
      ? `${name} on this background cannot be read well: contrast ${formatRatio(ratio)}, at least ${MIN_CONTRAST}:1 is needed`
      : null
  }
  const [text, accent] = [describeContrast('Text', fields.text), describeContrast('Links', fields.accent)]
  return { ...(text && { text }), ...(accent && { accent }) }
}

/** Rounded down, so that an insufficient ratio is never displayed as sufficient. */
export const formatRatio = (ratio: number): string => `${(Math.floor(ratio * 10) / 10).toFixed(1)}:1`

/** The label colour of a button: white, or black if white is unreadable. One of the two is always readable. */
export const chooseLabelColour = (colour: string): '#ffffff' | '#000000' =>
  contrastRatio('#ffffff', colour) >= MIN_CONTRAST ? '#ffffff' : '#000000'

/** WCAG contrast of two colours (`#rrggbb`), from 1 to 21. */
export function contrastRatio(one: string, other: string): number {
  const [lighter, darker] = [computeLuminance(one), computeLuminance(other)].sort((a, b) => b - a)
  return (lighter! + 0.05) / (darker! + 0.05)
}

function computeLuminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

/** null: allowed in mails. */
function findSocialProblem(kind: SocialKind, text: string): string | null {
  const { name, hosts } = socialKinds[kind]
  const expected = `An address that begins with https://www.${hosts[0]}/`
  const typed = text.trim()
  if (typed.length > brandLimits.socialUrl) return `At most ${brandLimits.socialUrl} characters`
  const url = URL.canParse(typed) ? new URL(typed) : null
  if (url?.protocol !== 'https:' || url.username || url.password || url.port) return expected
  const host = url.hostname.toLowerCase()
  if (!hosts.some((each) => host === each || host.endsWith(`.${each}`))) return `${expected}, as this is ${name}`
  return url.pathname.length > 1 ? null : 'The address of your page is missing after the slash'
}
