/* Which words stand beside the boxes of the block checkout, and that an express payment skips them: its requests do not say. */
;(() => {
  var setup = window.recoupBlocks
  var wp = window.wp || {}
  if (!setup || !wp.apiFetch?.use) return

  function isExpress() {
    try {
      return wp.data.select('wc/store/payment').isExpressPaymentMethodActive()
    } catch {
      return false
    }
  }

  /** A theme may leave the boxes out, or hide them. */
  function isShown(channel) {
    var box = document.querySelector(`[id$="recoup-consent-${channel}"],[id$="recoup/consent-${channel}"]`)
    return [box, box?.closest('label')].some((each) => each?.getClientRects().length > 0)
  }

  wp.apiFetch.use((options, next) => {
    if (!/wc\/store\//.test(options.path || options.url || '')) return next(options)
    var shown = Object.keys(setup.boxes).filter(isShown)
    var boxes = isExpress() ? 'none' : shown.map((channel) => `${channel}=${setup.boxes[channel]}`).join(',')
    if (!boxes) return next(options)
    return next(Object.assign({}, options, { headers: Object.assign({}, options.headers, { 'Recoup-Boxes': boxes }) }))
  })
})()
