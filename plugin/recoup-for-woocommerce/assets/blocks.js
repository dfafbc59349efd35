/*
 * Reports which consent texts the block checkout shows, and whether an express payment skips the boxes.
 * WooCommerce's own requests do not contain this.
 */
;(() => {
  var setup = window.recoupBlocks
  var wp = window.wp || {}
  if (!setup || !wp.apiFetch?.use) return
  var isFound = false
  // Boxes that were visible once. A checkout with several steps hides them later.
  var visible = {}

  function isExpress() {
    try {
      return wp.data.select('wc/store/payment').isExpressPaymentMethodActive()
    } catch {
      return false
    }
  }

  /** A theme may omit or hide the boxes. WooCommerce 8.9 uses the unescaped field name in the id. */
  function readVisibleBoxes() {
    Object.keys(setup.boxes).forEach((channel) => {
      var box = ['contact-recoup-consent-', 'contact-recoup/consent-']
        .map((id) => document.getElementById(id + channel))
        .find(Boolean)
      if (!box) return
      isFound = true
      if ([box, box.closest('label')].some((each) => each?.getClientRects().length > 0)) visible[channel] = true
    })
  }

  function describeBoxes() {
    if (isExpress()) return 'none'
    readVisibleBoxes()
    if (!isFound) return 'unknown'
    return (
      Object.keys(visible)
        .map((channel) => `${channel}=${setup.boxes[channel]}`)
        .join(',') || 'hidden'
    )
  }

  for (const name of ['focusin', 'change']) document.addEventListener(name, readVisibleBoxes, true)
  wp.apiFetch.use((options, next) => {
    if (!/wc\/store\//.test(options.path || options.url || '')) return next(options)
    return next(
      Object.assign({}, options, { headers: Object.assign({}, options.headers, { 'Recoup-Boxes': describeBoxes() }) }),
    )
  })
})()
