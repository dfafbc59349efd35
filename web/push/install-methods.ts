import type { PushMethod } from '../../shared/push.ts'

// Methods to install widget and worker in a WordPress shop, with steps. Pure texts; keep docs/web-push.md in step.

export interface InstallMethod {
  method: Exclude<PushMethod, 'plugin'>
  title: string
  when: string
  steps: readonly string[]
}

const UPLOAD =
  'Upload sw.js from step 3 to the site’s root, by SFTP or your host’s file manager: the folder with wp-config.php. https://your-store.com/sw.js must then show it.'
const CACHE = 'Empty the cache of your shop: cache plugin, host and CDN.'

export const installMethods: readonly InstallMethod[] = [
  {
    method: 'easy',
    title: 'Easy Integration',
    when: 'One line on every page, and one file in the site’s root.',
    steps: [
      UPLOAD,
      'Paste the line into the header of every page, for example in the field “Header” of the free plugin WPCode.',
      CACHE,
    ],
  },
  {
    method: 'button',
    title: 'Manual Button',
    when: 'The same with a button of your own in place of the bar’s coming by itself. It is seen where something is in the cart and the browser can do it; a press opens the bar.',
    steps: [
      UPLOAD,
      'Paste the button where shoppers should see it, for example as a “Custom HTML” block in the cart page or the footer. Change its words and looks as you like; keep data-recoup-push.',
      'The script’s line may stand right below it, on every page that has the button.',
      CACHE,
    ],
  },
  {
    method: 'functions',
    title: 'Functions.php (recommended)',
    when: 'Nothing to upload: the code puts the line on every page and serves the worker itself.',
    steps: [
      'Activate your child theme: an update of the theme overwrites its own files.',
      'Open Tools → Theme File Editor (Appearance → Theme File Editor with a classic theme) and choose functions.php.',
      'Paste the code at the end of the file. If the file ends with ?>, paste it above that. Press “Update File”.',
      CACHE,
    ],
  },
]
