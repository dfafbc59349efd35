import {
  type CSSVariablesResolver,
  createTheme,
  defaultCssVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core'

// Maps Mantine's colors, spacing and fonts to roles. Themes are defined only in roles.css.

const roles = (...names: string[]) => names.map((name) => `var(--rc-${name})`) as unknown as MantineColorsTuple

const brand = roles(
  ...['brand-soft', 'brand-soft', 'brand-soft-hover', 'brand-soft-hover', 'accent'],
  ...['accent', 'brand', 'brand', 'brand-hover', 'brand-hover'],
)
const red = roles(
  ...['bad-soft', 'bad-soft', 'bad-soft', 'bad', 'bad', 'danger', 'danger', 'danger', 'danger', 'danger-hover'],
)
/** Mantine's border and background variables of the light scheme. */
const gray = roles(
  ...['surface-hover', 'sunken', 'quiet-soft', 'line', 'line-strong'],
  ...['text-hint', 'text-soft', 'quiet', 'text', 'text'],
)
/** The same for the dark scheme. */
const dark = roles(
  ...['text', 'quiet', 'text-soft', 'text-hint', 'line-strong'],
  ...['surface-hover', 'surface', 'surface', 'sunken', 'page'],
)

export const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: 7,
  colors: { brand, red, gray, dark },
  black: 'var(--rc-text)',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'var(--rc-font)',
  fontFamilyMonospace: 'var(--rc-font-mono)',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.25rem', xl: '2rem' },
  radius: { sm: '6px', md: '8px', lg: '12px' },
  defaultRadius: 'md',
  headings: {
    fontWeight: '620',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.45' },
      h4: { fontSize: '0.8125rem', lineHeight: '1.45' },
    },
  },
  components: {
    Card: { defaultProps: { withBorder: true, padding: 'lg', radius: 'lg' } },
    // A dialog's header is not a banner landmark of the page.
    Modal: { defaultProps: { radius: 'lg', attributes: { header: { role: 'presentation' } } } },
    Tooltip: { defaultProps: { withArrow: true, events: { hover: true, focus: true, touch: true } } },
  },
})

/** An element with its own theme needs these variables again: CSS resolves var() where the variable is declared. */
export const mantineVariables = {
  '--mantine-color-body': 'var(--rc-surface)',
  '--mantine-color-text': 'var(--rc-text)',
  '--mantine-color-bright': 'var(--rc-text)',
  '--mantine-color-dimmed': 'var(--rc-text-soft)',
  '--mantine-color-placeholder': 'var(--rc-text-hint)',
  '--mantine-color-anchor': 'var(--rc-accent)',
  '--mantine-color-error': 'var(--rc-bad)',
  '--mantine-color-success': 'var(--rc-good)',
  '--mantine-color-default': 'var(--rc-surface)',
  '--mantine-color-default-hover': 'var(--rc-surface-hover)',
  '--mantine-color-default-color': 'var(--rc-text)',
  '--mantine-color-default-border': 'var(--rc-line-strong)',
  '--mantine-color-disabled': 'var(--rc-quiet-soft)',
  '--mantine-color-disabled-color': 'var(--rc-text-hint)',
  '--mantine-color-disabled-border': 'var(--rc-line)',
  '--mantine-primary-color-contrast': 'var(--rc-on-brand)',
  '--mantine-color-brand-filled': 'var(--rc-brand)',
  '--mantine-color-brand-filled-hover': 'var(--rc-brand-hover)',
  '--mantine-color-brand-light': 'var(--rc-brand-soft)',
  '--mantine-color-brand-light-hover': 'var(--rc-brand-soft-hover)',
  '--mantine-color-brand-light-color': 'var(--rc-accent)',
  '--mantine-color-brand-text': 'var(--rc-accent)',
  '--mantine-color-brand-outline': 'var(--rc-accent)',
  '--mantine-color-gray-filled': 'var(--rc-quiet)',
  '--mantine-color-gray-light': 'var(--rc-quiet-soft)',
  '--mantine-color-gray-light-hover': 'var(--rc-line)',
  '--mantine-color-gray-light-color': 'var(--rc-quiet)',
  '--mantine-color-gray-text': 'var(--rc-quiet)',
  '--mantine-color-gray-outline': 'var(--rc-quiet)',
  '--mantine-color-red-light': 'var(--rc-bad-soft)',
  '--mantine-color-red-light-hover': 'var(--rc-bad-soft)',
  '--mantine-color-red-light-color': 'var(--rc-bad)',
  '--mantine-color-red-text': 'var(--rc-bad)',
  '--mantine-color-red-outline': 'var(--rc-bad)',
  '--mantine-color-red-filled': 'var(--rc-danger)',
  '--mantine-color-red-filled-hover': 'var(--rc-danger-hover)',
}

export const resolveColors: CSSVariablesResolver = (theme) => {
  const base = defaultCssVariablesResolver(theme)
  return {
    variables: base.variables,
    light: { ...base.light, ...mantineVariables },
    dark: { ...base.dark, ...mantineVariables },
  }
}
