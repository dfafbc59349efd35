import {
  type CSSVariablesResolver,
  createTheme,
  defaultCssVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core'

// The one place that knows colours. Screens name roles (`--rc-…`, or Mantine's own), so a further theme is another set of roles.

const pine: MantineColorsTuple = [
  '#e9f6f4',
  '#d2ebe7',
  '#a6d9d2',
  '#76c5bb',
  '#4fb3a7',
  '#2f998d',
  '#1c867a',
  '#0f756b',
  '#0b6058',
  '#074a44',
]

const slate: MantineColorsTuple = [
  '#dbe2e8',
  '#bcc7d0',
  '#9dabb7',
  '#73818d',
  '#3d4954',
  '#2c3640',
  '#202931',
  '#181f26',
  '#12181e',
  '#0d1216',
]

export const theme = createTheme({
  primaryColor: 'pine',
  primaryShade: { light: 7, dark: 7 },
  colors: { pine, dark: slate },
  black: '#16222c',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.25' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.35' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  components: {
    Card: { defaultProps: { withBorder: true, padding: 'lg' } },
    // A dialog's heading bar is no banner of the page.
    Modal: { defaultProps: { attributes: { header: { role: 'presentation' } } } },
    Tooltip: { defaultProps: { withArrow: true, events: { hover: true, focus: true, touch: true } } },
  },
})

export const resolveColors: CSSVariablesResolver = (theme) => {
  const base = defaultCssVariablesResolver(theme)
  return {
    variables: base.variables,
    light: {
      ...base.light,
      '--mantine-color-dimmed': '#53616d',
      '--mantine-color-placeholder': '#6b7883',
      '--mantine-color-error': '#b3261e',
      '--mantine-color-default-border': '#cfd6dc',
      '--mantine-color-disabled-color': '#6b7883',
      ...lightRoles,
    },
    dark: {
      ...base.dark,
      '--mantine-color-placeholder': '#8795a1',
      '--mantine-color-error': '#ff9d94',
      '--mantine-color-default-border': '#46535f',
      '--mantine-color-disabled-color': '#8795a1',
      ...darkRoles,
    },
  }
}

const lightRoles = {
  '--mantine-color-body': '#ffffff',
  '--rc-page': '#f5f7f8',
  '--rc-surface': '#ffffff',
  '--rc-surface-hover': '#f2f6f7',
  '--rc-line': '#dfe4e8',
  '--rc-accent': '#0f756b',
  '--rc-good': '#176b3a',
  '--rc-good-soft': '#e1f3e8',
  '--rc-info': '#1d5a9e',
  '--rc-info-soft': '#e3eefa',
  '--rc-warn': '#855200',
  '--rc-warn-soft': '#fdf1d8',
  '--rc-bad': '#a3231b',
  '--rc-bad-soft': '#fce7e5',
  '--rc-quiet': '#475561',
  '--rc-quiet-soft': '#e9edf0',
}

const darkRoles = {
  '--mantine-color-body': '#181f26',
  '--rc-page': '#10161b',
  '--rc-surface': '#181f26',
  '--rc-surface-hover': '#1e2730',
  '--rc-line': '#2c3640',
  '--rc-accent': '#4fb3a7',
  '--rc-good': '#7fd6a2',
  '--rc-good-soft': '#16301f',
  '--rc-info': '#93c1f5',
  '--rc-info-soft': '#172c43',
  '--rc-warn': '#f3c673',
  '--rc-warn-soft': '#35290f',
  '--rc-bad': '#ffa49b',
  '--rc-bad-soft': '#3c1c1a',
  '--rc-quiet': '#bcc7d0',
  '--rc-quiet-soft': '#28323b',
}
