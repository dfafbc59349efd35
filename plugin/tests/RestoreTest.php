<?php

use Recoup\WooCommerce\Lines;
use Recoup\WooCommerce\Outbox;
use Recoup\WooCommerce\Restore;
use Recoup\WooCommerce\State;

final class RestoreTest extends ShopCase
{
    private const TOKEN = 'ttttttttttttttttttttttttttttttttttttttttttt';

    private function setSavedCart(array $lines, array $more = []): void
    {
        $this->recoup->answers['restore'] = [200, $more + ['lines' => $lines, 'coupon' => null, 'email' => null, 'isOrdered' => false]];
    }

    private function openLink(array $more = []): string
    {
        $_GET = ['recoup-restore' => self::TOKEN] + $more;
        return $this->captureRedirect([Restore::class, 'handleRequest']);
    }

    private static function line(int $product, int $quantity, string $name, array $choices = [], ?int $variation = null): array
    {
        return [
            'product' => (string) $product,
            'variation' => $variation === null ? null : (string) $variation,
            'quantity' => $quantity,
            'name' => $name,
            'choices' => $choices,
        ];
    }

    private function cartQuantities(): array
    {
        return array_values(array_column(WC()->cart->lines, 'quantity'));
    }

    public function testRestoresACartAndRedirectsToTheCheckout(): void
    {
        $choices = [['name' => 'Size', 'value' => 'Large'], ['name' => 'Color', 'value' => 'Blue']];
        $lines = [self::line(self::TEA, 2, 'Tea'), self::line(self::HOODIE, 1, 'Hoodie', $choices, self::BLUE)];
        $this->setSavedCart($lines, ['email' => 'vera@example.com', 'coupon' => 'BACK10']);
        $GLOBALS['wp']['coupons'] = ['back10'];
        self::assertSame('https://shop.example.com/checkout/', $this->openLink());
        self::assertSame([2, 1], $this->cartQuantities());
        $hoodie = array_values(WC()->cart->lines)[1];
        self::assertSame(['attribute_pa_size' => 'large', 'attribute_color' => 'Blue'], $hoodie['variation'], 'the open choice is lost');
        self::assertSame(['back10'], WC()->cart->coupons);
        self::assertSame('vera@example.com', WC()->customer->get_billing_email());
        self::assertTrue($GLOBALS['wp']['nocache']);
        $this->endRequest();
        self::assertSame(self::TOKEN, $this->lastEntry()['back']);
    }

    public function testAddsNothingOnASecondVisit(): void
    {
        $this->setSavedCart([self::line(self::TEA, 2, 'Tea')]);
        $this->openLink();
        $this->openLink();
        self::assertSame([2], $this->cartQuantities());
    }

    public function testNamesProductsThatAreUnavailableReducedOrNeedAChoice(): void
    {
        $GLOBALS['wp']['products'][20] = new Product(['id' => 20, 'stock' => 0]);
        $this->setSavedCart([
            self::line(self::LAMP, 9, 'Lamp'),
            self::line(20, 1, 'Sold out'),
            self::line(99, 1, 'Deleted'),
            self::line(self::HOODIE, 1, 'Hoodie', [], self::BLUE),
            self::line(self::TEA, 1, 'Tea'),
        ]);
        self::assertSame('https://shop.example.com/checkout/', $this->openLink());
        self::assertSame([3, 1], $this->cartQuantities());
        $notices = $this->notices();
        self::assertStringContainsString('No longer available: Sold out, Deleted.', $notices);
        self::assertStringContainsString('Fewer are left than before: Lamp.', $notices);
        self::assertStringContainsString('choose these again: Hoodie.', $notices);
        self::assertStringNotContainsString('cannot add that amount', $notices);
    }

    public function testAsksBeforeReplacingACartWithOtherItems(): void
    {
        WC()->cart->add_to_cart(self::LAMP, 1);
        $this->setSavedCart([self::line(self::TEA, 2, 'Tea')], ['email' => 'vera@example.com']);
        self::assertSame('https://shop.example.com/cart/', $this->openLink());
        self::assertSame([1], $this->cartQuantities());
        self::assertStringContainsString('Use the saved cart', $this->notices());
        self::assertStringContainsString('Keep this one', $this->notices());
        $nonce = wp_create_nonce('recoup-use' . self::TOKEN);
        self::assertSame('https://shop.example.com/cart/', $this->openLink(['recoup-use' => '0', '_wpnonce' => $nonce]));
        self::assertSame([1], $this->cartQuantities());
        $this->openLink(['recoup-use' => '1', '_wpnonce' => 'forged']);
        self::assertSame([1], $this->cartQuantities(), 'a forged link replaced the cart');
        $this->setSavedCart([self::line(self::TEA, 2, 'Tea')]);
        self::assertSame('https://shop.example.com/checkout/', $this->openLink(['recoup-use' => '1', '_wpnonce' => $nonce]));
        self::assertSame([2], $this->cartQuantities());
        self::assertSame('vera@example.com', WC()->customer->get_billing_email(), 'Recoup returns the email only once');
    }

    public function testCompletesAPartOfTheSavedCartWithoutAsking(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->setSavedCart([self::line(self::TEA, 3, 'Tea'), self::line(self::LAMP, 1, 'Lamp')]);
        self::assertSame('https://shop.example.com/checkout/', $this->openLink());
        self::assertSame([3, 1], $this->cartQuantities());
    }

    public function testKeepsTheEmailOfASignedInOrKnownShopper(): void
    {
        WC()->customer->set_billing_email('own@example.com');
        $this->setSavedCart([self::line(self::TEA, 1, 'Tea')], ['email' => 'vera@example.com']);
        $this->openLink();
        self::assertSame('own@example.com', WC()->customer->get_billing_email());
    }

    public function testShowsTheOwnNoticeForARejectedCoupon(): void
    {
        $this->setSavedCart([self::line(self::TEA, 1, 'Tea')], ['coupon' => 'over']);
        $this->openLink();
        self::assertStringContainsString('The coupon over cannot be used with this cart.', $this->notices());
        self::assertStringNotContainsString('does not exist', $this->notices());
    }

    /** Each invented link caused a call, until Recoup's rate limit blocked the shop's real links, too. */
    public function testStopsCallingRecoupForANetworkWithManyUnknownLinks(): void
    {
        $this->recoup->answers['restore'] = [404, ['code' => 'not_found']];
        for ($n = 0; $n < 30; $n++) {
            $_GET = ['recoup-restore' => str_pad((string) $n, 43, 'm')];
            self::assertSame('ended with 404', $this->captureRedirect([Restore::class, 'handleRequest']));
        }
        self::assertCount(10, $this->recoup->calls);
        $GLOBALS['wp']['ip'] = '198.51.100.20';
        $this->setSavedCart([self::line(self::TEA, 2, 'Tea')]);
        self::assertSame('https://shop.example.com/checkout/', $this->openLink());
    }

    /** A shopper can pass on a link. The first owner would then get the order's confirmation. */
    public function testShowsANoticeForAPrefilledEmail(): void
    {
        $this->setSavedCart([self::line(self::TEA, 2, 'Tea')], ['email' => 'mallory@evil.example']);
        $this->openLink();
        self::assertStringContainsString('mallory@evil.example as your email address', $this->notices());
    }

    public function testShows404WithALinkToTheShopForAnInvalidLink(): void
    {
        $this->recoup->answers['restore'] = [404, ['code' => 'not_found']];
        foreach ([self::TOKEN, '<script>', self::TOKEN . "\n.", str_repeat('t', 42), '', ['x']] as $forged) {
            WC()->session->hasCookie = false;
            $_GET = ['recoup-restore' => $forged];
            self::assertSame('ended with 404', $this->captureRedirect([Restore::class, 'handleRequest']));
            self::assertStringContainsString('has expired, or belongs to another shop', $GLOBALS['wp']['died']['message']);
            self::assertSame('https://shop.example.com/shop/', $GLOBALS['wp']['died']['link_url']);
            self::assertFalse(WC()->session->hasCookie, 'a forged link created a session');
        }
        self::assertSame('', trim($this->notices()));
        self::assertCount(1, $this->recoup->calls, 'only well-formed tokens cause a call');
    }

    public function testRedirectsToTheCartWithANoticeWhenRecoupIsDown(): void
    {
        $this->recoup->mode = 'silent';
        WC()->cart->add_to_cart(self::TEA, 1);
        self::assertSame('https://shop.example.com/cart/', $this->openLink());
        self::assertStringContainsString('try the link again', $this->notices());
        self::assertSame([1], $this->cartQuantities());
    }

    public function testSendsTheQueueWhenRecoupAnswersARestore(): void
    {
        $this->recoup->mode = 'silent';
        WC()->cart->add_to_cart(self::TEA, 2);
        $this->endRequest();
        self::assertSame(1, Outbox::count());
        $this->recoup->mode = '';
        $this->setSavedCart([self::line(self::TEA, 2, 'Tea')]);
        $this->openLink();
        $this->endRequest();
        self::assertSame(0, Outbox::count());
        self::assertSame(0, State::get('nextTry'));
    }

    public function testDoesNotRestoreAnOrderedCart(): void
    {
        $this->setSavedCart([self::line(self::TEA, 1, 'Tea')], ['isOrdered' => true]);
        self::assertSame('https://shop.example.com/shop/', $this->openLink());
        self::assertSame([], $this->cartQuantities());
    }

    public function testEscapesProductNamesInNotices(): void
    {
        $this->setSavedCart([self::line(99, 1, '<img src=x onerror=alert(1)>')]);
        $this->openLink();
        self::assertStringNotContainsString('<img', $this->notices());
    }

    public function testFindsAChoiceByLabelKeySlugAndValue(): void
    {
        $variation = wc_get_product(self::BLUE);
        $parent = wc_get_product(self::HOODIE);
        foreach ([['Size', 'Large'], ['size', 'large'], ['pa_size', 'large'], ['SIZE', 'LARGE']] as [$name, $value]) {
            $found = Lines::matchAttributes($variation, $parent, [['name' => $name, 'value' => $value]]);
            self::assertSame(['attribute_pa_size' => 'large', 'attribute_color' => 'Blue'], $found, $name . ' ' . $value);
        }
        self::assertNull(Lines::matchAttributes($variation, $parent, [['name' => 'Size', 'value' => 'Huge']]));
        self::assertNull(Lines::matchAttributes($variation, $parent, []));
    }
}
