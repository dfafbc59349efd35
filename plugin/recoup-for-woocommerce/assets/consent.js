/* Sends an answer in the shop's consent tool at once. Without this, the shop learns of it with the shopper's next page view. */
;(() => {
  var setup = window.recoupConsentTool
  if (!setup || !window.fetch) return
  var timer = 0

  function sendAnswer() {
    timer = 0
    var checkout = window.recoupCheckout
    // One request at a time: two concurrent requests overwrite each other's session data.
    // biome-ignore lint/complexity/useOptionalChain: it is not built, and older browsers have to read it.
    if (checkout && checkout.send && checkout.send()) return
    // Without a cart the answer changes nothing.
    if (!/(^|; )woocommerce_items_in_cart=1/.test(document.cookie)) return
    fetch(setup.url, { method: 'POST', credentials: 'same-origin', keepalive: true }).catch(() => {})
  }

  // Consent tools fire one event per category.
  document.addEventListener('wp_listen_for_consent_change', () => {
    clearTimeout(timer)
    timer = setTimeout(sendAnswer, 50)
  })
  addEventListener('pagehide', () => {
    if (!timer) return
    clearTimeout(timer)
    sendAnswer()
  })
})()
