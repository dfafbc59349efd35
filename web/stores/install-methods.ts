// Methods to install the capture script. Pure texts, shown by `CaptureInstall.tsx`, for WordPress with drawings. Keep
// docs/capture-script.md and docs/connecting-shopify.md in step.

export type MethodId = 'plugin' | 'classic' | 'block'

export interface InstallMethod {
  id: MethodId
  title: string
  /** Which shops it suits. */
  when: string
  /** The drawing's numbers are those of the steps. */
  steps: readonly string[]
  /** Text alternative of the drawing. */
  drawing: string
  /** This method pastes something other than the script line. */
  hasOwnCode?: boolean
}

export const installMethods: readonly InstallMethod[] = [
  {
    id: 'plugin',
    title: 'A plugin for header scripts',
    when: 'Works with every theme, needs no file changes, and survives theme updates. The steps are for the free plugin WPCode; similar plugins have the same field.',
    steps: [
      'In WordPress open Plugins → Add New, search for “WPCode”, install it and activate it.',
      'Open Code Snippets → Header & Footer.',
      'Paste the line into the field “Header”.',
      'Press “Save Changes”.',
    ],
    drawing:
      'Drawing of the WordPress admin: under Code Snippets in the menu, Header & Footer is chosen (2). The page has a field named Header with the script in it (3) and the button Save Changes (4).',
  },
  {
    id: 'classic',
    title: 'A classic theme',
    when: 'Your theme is a classic one if Appearance has “Customize” and no “Editor”. Use a child theme: an update of the theme overwrites its own files.',
    steps: [
      'Activate your child theme. If it has no header.php, copy that file from the parent theme’s folder into the child’s.',
      'Open Appearance → Theme File Editor and choose header.php.',
      'Paste the line directly above </head>.',
      'Press “Update File”.',
    ],
    drawing:
      'Drawing of the Theme File Editor: header.php is chosen in the list of files (2). In its text the script stands between wp_head and the end of the head (3). Below is the button Update File (4).',
  },
  {
    id: 'block',
    title: 'A block theme',
    when: 'Your theme is a block theme if Appearance has “Editor”. It has no header.php and no </head> to paste into: WordPress builds the head, and the child theme’s functions.php adds to it.',
    steps: [
      'Activate your child theme. With a block theme, the plugin “Create Block Theme” can make one.',
      'Open Tools → Theme File Editor and choose functions.php.',
      'Paste the code below at the end of the file. If the file ends with ?>, paste it above that.',
      'Press “Update File”.',
    ],
    drawing:
      'Drawing of the Theme File Editor: functions.php is chosen in the list of files (2). At the end of its text the code that begins with add_action is pasted (3). Below is the button Update File (4).',
    hasOwnCode: true,
  },
]

/** For functions.php, in themes without an editable head. */
export const buildFunctionsCode = (snippet: string) =>
  `add_action( 'wp_head', function () {\n    echo '${snippet}';\n} );`

/** Shopify has a single method: scripts that apps inject (ScriptTag) no longer run. */
export const themeSteps: readonly string[] = [
  'In Shopify open Online Store → Themes.',
  'Beside your current theme press ⋯, then Edit code.',
  'Open layout/theme.liquid.',
  'Paste the line directly above </head>.',
  'Press Save. After you publish another theme, do the same there.',
]

export const THEME_REACH =
  'On the shop’s pages the script sees carts before the checkout, and an email typed into the theme’s newsletter or contact form. It does not run in the checkout itself: Shopify lets no script in there. What is typed in the checkout comes from Shopify.'

const EVERYWHERE = [
  'Search the source of a shop page (Ctrl+U) for “/capture/”. If you do not find it, the line is not on the page.',
  'The address in the line must be reachable from the internet: visitors load the script from this server.',
]

/** What can block the script. */
export const wordPressHints: readonly string[] = [
  'Empty the cache of your shop: cache plugin, host, and CDN. Cached pages do not contain the line.',
  'Exclude the script from plugins that combine, delay or block scripts. A consent plugin may hold it back until the visitor agrees.',
  ...EVERYWHERE,
]

export const themeHints: readonly string[] = [
  'The line must be in the theme that is published: under Online Store → Themes it is the one called “Current theme”.',
  'An app that asks visitors for consent or that speeds up pages may hold the script back. Let it load this line.',
  ...EVERYWHERE,
]
