import { z } from 'zod'

// The brand kit of a store: how its mails look. Checked the same way in the form and by the server. Pure.

/** WCAG 2.2 AA, for words of the size mails have. */
export const LEAST_CONTRAST = 4.5

/** Mails show only letters that the reader's device has. */
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

/** The hosts a link of each kind may lead to, with what lies below them. */
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

/** What an owner sets. */
export interface BrandLook {
  /** Of the button; the colour of its words is `labelOn(button)`. */
  button: string
  /** Of the words. */
  text: string
  /** Behind the words. */
  ground: string
  /** Of links and lines. */
  accent: string
  fontStack: FontStack
  /** Of corners, in px. */
  radius: number
  /** At most one of each kind, in the order they are shown. */
  social: { kind: SocialKind; url: string }[]
  /** Above the postal address; '' for none. */
  footerWords: string
  /** One line on shipping and returns; '' for none. */
  promise: string
  /** Read where the logo is not shown; '' is the store's name. */
  logoAlt: string
}

export interface BrandLogo {
  /** Below the server's own address. The same path always has the same picture. */
  path: string
  /** Of the file, in px; mails show it smaller. */
  width: number
  height: number
  /** '' is the store's name. */
  alt: string
}

export interface BrandKit extends Omit<BrandLook, 'logoAlt'> {
  logo: BrandLogo | null
}

export const DEFAULT_LOOK: BrandLook = {
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

/** Of a store that has set nothing: its name stands where the logo would. */
export const DEFAULT_BRAND: BrandKit = { ...withoutAlt(DEFAULT_LOOK), logo: null }

export function withoutAlt({ logoAlt: _, ...look }: BrandLook): Omit<BrandLook, 'logoAlt'> {
  return look
}

const Colour = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^#[0-9a-f]{6}$/, 'A color such as #1d4ed8')

const line = (longest: number) =>
  z
    .string()
    .trim()
    .max(longest, `At most ${longest} characters`)
    .refine((text) => !/\p{Cc}/u.test(text), 'One line only')

const Social = z
  .object({ kind: z.enum(socialKindNames), url: z.string().trim().max(brandLimits.socialUrl) })
  .superRefine(({ kind, url }, context) => {
    const problem = socialProblem(kind, url)
    if (problem) context.addIssue({ code: 'custom', path: ['url'], message: problem })
  })

/** What of a look may be saved, each part by itself. */
export const BrandLookParts = z.object({
  button: Colour,
  text: Colour,
  ground: Colour,
  accent: Colour,
  fontStack: z.enum(fontStackNames),
  radius: z.number().int().min(0).max(brandLimits.radius, `A whole number from 0 to ${brandLimits.radius}`),
  social: z
    .array(Social)
    .max(socialKindNames.length)
    .refine((links) => new Set(links.map(({ kind }) => kind)).size === links.length, 'One link of each kind'),
  footerWords: line(brandLimits.footerWords),
  promise: line(brandLimits.promise),
  logoAlt: line(brandLimits.logoAlt),
})

/** Refuses a look whose words cannot be read. */
export function canBeRead(look: Pick<BrandLook, ColourName>, context: z.RefinementCtx): void {
  for (const [name, message] of Object.entries(contrastProblems(look))) {
    context.addIssue({ code: 'custom', path: [name], message })
  }
}

/** What is hard to read, by the field that says so. */
export function contrastProblems(
  look: Pick<BrandLook, 'text' | 'ground' | 'accent'>,
): Partial<Record<ColourName, string>> {
  const words = (name: string, colour: string) => {
    const ratio = contrastOf(colour, look.ground)
    return ratio < LEAST_CONTRAST
      ? `${name} on this background cannot be read well: contrast ${shownRatio(ratio)}, at least ${LEAST_CONTRAST}:1 is needed`
      : null
  }
  const [text, accent] = [words('Text', look.text), words('Links', look.accent)]
  return { ...(text && { text }), ...(accent && { accent }) }
}

/** Rounded down, so that what is not enough never reads as if it were. */
export const shownRatio = (ratio: number): string => `${(Math.floor(ratio * 10) / 10).toFixed(1)}:1`

/** The colour of words on a button: white, or black where white cannot be read. One of the two always can. */
export const labelOn = (colour: string): '#ffffff' | '#000000' =>
  contrastOf('#ffffff', colour) >= LEAST_CONTRAST ? '#ffffff' : '#000000'

/** WCAG's contrast of two colours (`#rrggbb`), from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [lighter, darker] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a)
  return (lighter! + 0.05) / (darker! + 0.05)
}

function luminanceOf(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

/** null: it may stand in mails. */
export function socialProblem(kind: SocialKind, text: string): string | null {
  const { name, hosts } = socialKinds[kind]
  const wanted = `An address that begins with https://www.${hosts[0]}/`
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' || url.username || url.password || url.port) return wanted
  const host = url.hostname.toLowerCase()
  if (!hosts.some((each) => host === each || host.endsWith(`.${each}`))) return `${wanted}, as this is ${name}`
  return url.pathname.length > 1 ? null : 'The address of your page is missing after the slash'
}
