/* Plays any legal action. A request is: WORDS | POSITION | ACTIONS; docs/protocol.md describes them. */

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

public class Bot {
    public static void main(String[] arguments) throws IOException {
        var requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = requests.readLine()) != null; ) {
            String[] head = line.split(" \\| ", 2)[0].split(" ");
            Map<String, String> words = new HashMap<>();
            for (String word : head) {
                String[] parts = word.split("=", 2);
                if (parts.length == 2) words.put(parts[0], parts[1]);
            }
            switch (head[0]) {
                case "tkm":
                    System.out.println("tkm 1 name=random-java version=1");
                    break;
                case "go":
                    String[] legal = words.get("legal").split(",");
                    long seed = Long.parseLong(words.get("seed"));
                    System.out.println("play " + legal[(int) (seed % legal.length)]);
                    break;
                case "quit":
                    return;
                default:
            }
            System.out.flush();
        }
    }
}
