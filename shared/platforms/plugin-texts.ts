// Texts about the WooCommerce plugin, in screens, answers and reasons.

export const pluginTexts = {
  invalid:
    'This connection request is not complete or was changed on the way. Go back to WordPress and press Connect again.',
  otherHost: 'The request leads back to another address than that of the shop, so it was refused.',
  otherAccount: 'This store is already connected to another account.',
  testAsked: 'The shop was asked for a test cart. It arrives within a minute if the plugin can reach Recoup.',
  testAwaited:
    'Recoup cannot ask your shop for the test cart, so it comes with the plugin’s next call. “Send a test cart” under WooCommerce → Recoup sends one at once.',
  /** How a shop that Recoup cannot reach reports, and what its owner can do. */
  reportsByCron:
    'WordPress sends a report about every minute while its scheduled tasks (WP-Cron) run. With few visitors they seldom run: ask your host to call wp-cron.php every minute.',
  updatePlugin:
    'Update the plugin: in WordPress under Plugins, or download it under Settings → Store → Plugin and upload it in WordPress.',
  noPlugin: 'This store is not connected by the plugin.',
} as const
