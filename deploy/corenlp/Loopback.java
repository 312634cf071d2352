import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsServer;
import com.sun.net.httpserver.spi.HttpServerProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Makes the HTTP servers of this process, all on 127.0.0.1. The CoreNLP server binds every interface
 * and has no option against it; it knows no password either, so only this machine may reach it. At
 * /asof/version it says which release it is, which CoreNLP itself does not; the port that it got is
 * written to the file that asof.corenlp.port names.
 */
public final class Loopback extends HttpServerProvider {
  private final HttpServerProvider plain = new sun.net.httpserver.DefaultHttpServerProvider();

  private static InetSocketAddress local(InetSocketAddress wanted) throws IOException {
    return new InetSocketAddress(InetAddress.getByAddress("localhost", new byte[] {127, 0, 0, 1}), wanted.getPort());
  }

  @Override
  public HttpServer createHttpServer(InetSocketAddress wanted, int backlog) throws IOException {
    HttpServer server = plain.createHttpServer(local(wanted), backlog);
    byte[] version = System.getProperty("asof.corenlp.version", "").getBytes(StandardCharsets.US_ASCII);
    server.createContext("/asof/version", exchange -> {
      exchange.sendResponseHeaders(200, version.length);
      exchange.getResponseBody().write(version);
      exchange.close();
    });
    String file = System.getProperty("asof.corenlp.port");
    if (file != null) {
      Files.writeString(Path.of(file), server.getAddress().getPort() + "\n");
    }
    return server;
  }

  @Override
  public HttpsServer createHttpsServer(InetSocketAddress wanted, int backlog) throws IOException {
    return plain.createHttpsServer(local(wanted), backlog);
  }
}
