/* An answer in the shop's consent tool is followed at once: the shop would hear of it only with the shopper's next page. */
;(() => {
  var setup = window.recoupConsentTool
  if (!setup || !window.fetch) return
  var timer = 0

  function tell() {
    timer = 0
    var checkout = window.recoupCheckout
    // One request at a time: two would write over each other's part of the session.
    // biome-ignore lint/complexity/useOptionalChain: it is not built, and older browsers have to read it.
    if (checkout && checkout.send && checkout.send()) return
    // Without a cart there is nothing to follow.
    if (!/(^|; )woocommerce_items_in_cart=1/.test(document.cookie)) return
    fetch(setup.url, { method: 'POST', credentials: 'same-origin', keepalive: true }).catch(() => {})
  }

  // Tools answer for one category after the other.
  document.addEventListener('wp_listen_for_consent_change', () => {
    clearTimeout(timer)
    timer = setTimeout(tell, 50)
  })
  addEventListener('pagehide', () => {
    if (!timer) return
    clearTimeout(timer)
    tell()
  })
})()
