/* Which words stand beside the boxes of the block checkout, and that an express payment skips them: its requests do not say. */
;(() => {
  var setup = window.recoupBlocks
  var wp = window.wp || {}
  if (!setup || !wp.apiFetch?.use) return
  var isFound = false
  // A checkout in steps hides the boxes later.
  var seen = {}

  function isExpress() {
    try {
      return wp.data.select('wc/store/payment').isExpressPaymentMethodActive()
    } catch {
      return false
    }
  }

  /** A theme may leave the boxes out, or hide them. WooCommerce 8.9 puts the field's own name into the id. */
  function look() {
    Object.keys(setup.boxes).forEach((channel) => {
      var box = ['contact-recoup-consent-', 'contact-recoup/consent-']
        .map((id) => document.getElementById(id + channel))
        .find(Boolean)
      if (!box) return
      isFound = true
      if ([box, box.closest('label')].some((each) => each?.getClientRects().length > 0)) seen[channel] = true
    })
  }

  function boxes() {
    if (isExpress()) return 'none'
    look()
    if (!isFound) return 'unknown'
    return (
      Object.keys(seen)
        .map((channel) => `${channel}=${setup.boxes[channel]}`)
        .join(',') || 'hidden'
    )
  }

  for (const name of ['focusin', 'change']) document.addEventListener(name, look, true)
  wp.apiFetch.use((options, next) => {
    if (!/wc\/store\//.test(options.path || options.url || '')) return next(options)
    return next(
      Object.assign({}, options, { headers: Object.assign({}, options.headers, { 'Recoup-Boxes': boxes() }) }),
    )
  })
})()
