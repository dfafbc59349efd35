// Texts about the WooCommerce plugin, in screens, answers and reasons.

export const pluginTexts = {
  invalid: 'This connection request is incomplete or was changed. Go back to WordPress and press Connect again.',
  otherHost:
    'The request returns to an address outside the shop, so it was refused. Go back to WordPress and press Connect again.',
  otherAccount: 'This store is already connected to another account.',
  testAsked: 'Test cart requested. It arrives within a minute if the plugin can reach Recoup.',
  testAwaited:
    'Recoup cannot reach your shop, so the test cart comes with the plugin’s next call. To send one now, press “Send a test cart” under WooCommerce → Recoup.',
  /** How a shop that Recoup cannot reach reports, and what its owner can do. */
  reportsByCron:
    'WordPress sends a report about every minute while its scheduled tasks (WP-Cron) run. With few visitors they seldom run: ask your host to call wp-cron.php every minute.',
  updatePlugin:
    'Update the plugin: in WordPress under Plugins, or download it under Settings → Store → Plugin and upload it in WordPress.',
  noPlugin: 'This store is not connected through the plugin.',
} as const
