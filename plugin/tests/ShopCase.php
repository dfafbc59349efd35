<?php

use PHPUnit\Framework\TestCase;
use Recoup\WooCommerce\Capture;
use Recoup\WooCommerce\Connection;
use Recoup\WooCommerce\Consent;
use Recoup\WooCommerce\Outbox;
use Recoup\WooCommerce\Plugin;
use Recoup\WooCommerce\Publisher;

/** Creates a fresh connected shop with a few products for each test. */
abstract class ShopCase extends TestCase
{
    protected const TEA = 10;
    protected const LAMP = 12;
    protected const HOODIE = 13;
    protected const BLUE = 14;
    protected const WORDING = 'Email me reminders.';

    /** @var Recoup */
    protected $recoup;

    protected function setUp(): void
    {
        $this->recoup = new Recoup();
        $GLOBALS['wpdb'] = new Database();
        $GLOBALS['logger'] = new Logger();
        $GLOBALS['shop'] = new Shop();
        WC()->session = new Session();
        WC()->cart = new Cart();
        WC()->customer = new Customer();
        WC()->countries = new Countries();
        $GLOBALS['wp'] = [
            'options' => ['home' => 'https://shop.example.com', 'woocommerce_allowed_countries' => 'specific', 'permalink_structure' => '/%postname%/'],
            'http' => $this->recoup,
            'terms' => ['pa_size' => ['small' => 'Small', 'large' => 'Large']],
            'products' => $this->products(),
        ];
        $_GET = [];
        $_POST = [];
        $_COOKIE = [];
        $_SERVER['HTTP_USER_AGENT'] = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148';
        self::setKeyFile('');
        $this->connect();
        Plugin::load();
        Consent::setCheckout('');
        do_action('woocommerce_init');
    }

    /** Sets the publisher's key file; '' = an unsigned build, even if this source contains a key. */
    protected static function setKeyFile(string $path): void
    {
        $file = new ReflectionProperty(Publisher::class, 'file');
        $file->setAccessible(true);
        $file->setValue(null, $path);
    }

    private function products(): array
    {
        $size = new Options(['Small', 'Large']);
        return [
            self::TEA => new Product(['id' => self::TEA, 'name' => 'Tea &amp; honey', 'price' => '12.5']),
            self::LAMP => new Product(['id' => self::LAMP, 'name' => 'Lamp', 'price' => '80', 'stock' => 3]),
            self::HOODIE => new Product([
                'id' => self::HOODIE,
                'name' => 'Hoodie',
                'type' => 'variable',
                'attributes' => ['pa_size' => $size, 'color' => new Options(['Blue', 'Red Wine'])],
            ]),
            self::BLUE => new Product([
                'id' => self::BLUE,
                'name' => 'Hoodie - Blue',
                'type' => 'variation',
                'price' => '45',
                'attributes' => ['attribute_pa_size' => '', 'attribute_color' => 'Blue'],
            ]),
        ];
    }

    protected function connect(): void
    {
        Connection::save([
            'url' => 'https://recoup.example.com',
            'store' => Recoup::STORE,
            'secret' => Recoup::SECRET,
            'install' => str_repeat('a', 32),
            'home' => 'https://shop.example.com/',
            'keyId' => '1',
            'settings' => ['version' => 's1', 'boxes' => ['email' => ['words' => self::WORDING, 'id' => 'w1']], 'push' => null],
        ]);
        Outbox::create();
    }

    /** Ends the request as WordPress does on shutdown. */
    protected function endRequest(): void
    {
        Capture::finish();
        // Static variables do not outlive a request.
        $answered = new ReflectionProperty(Consent::class, 'answered');
        $answered->setAccessible(true);
        $answered->setValue(null, []);
        unset($_SERVER['HTTP_RECOUP_BOXES']);
    }

    protected function lastEntry(): array
    {
        $all = $this->recoup->entries();
        self::assertNotSame([], $all, 'nothing was sent');
        return end($all);
    }

    /** Returns the target of the request's redirect. */
    protected function captureRedirect(callable $work): string
    {
        try {
            $work();
        } catch (RequestEnded $to) {
            return $to->getMessage();
        }
        self::fail('no redirect');
    }

    protected function notices(): string
    {
        $text = '';
        foreach (wc_get_notices() as $list) {
            $text .= implode(' ', array_column($list, 'notice')) . ' ';
        }
        return $text;
    }
}
